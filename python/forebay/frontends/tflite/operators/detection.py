"""TFLite_Detection_PostProcess: boxes from anchors, and non-maximum suppression, in float32.

    boxes   from encodings and anchors: centre and half size in double precision, rounded once
    left    the scores that are at least the threshold, else -inf
    numbers the positions in `left` of the detections (`kernels/suppression.py`)
    results of the numbers; the rows behind the last detection are 0

The regular form has a row of `left` per class. The fast one has a single row, of the best class of
each box. TFLite Micro stops at a box without an area, and in the fast form leaves the rows behind
the last detection as they are. uint8 becomes float32 first, which TFLite Micro refuses.
Source: TFLite Micro `detection_postprocess.cc`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.dialects import arith, tensor, tosa
from mlir.dialects import math as mathlib
from msgspec import Struct

from forebay.frontends.elementwise import map_elements, map_indexed, position_along
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.kernels.suppression import (
    Corners,
    SuppressionLimits,
    class_of,
    detected_box,
    is_detection,
    larger,
    lowest,
    suppressed,
)
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import document, operator
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.reduce import (
    KernelDomain,
    ReduceKernel,
    ReduceOperand,
    Scalars,
    affine_dimensions,
    build_reduce,
    zero,
)

_F32, _I8 = ElementType.FLOAT32, ElementType.INT8
_IN = (_F32, _I8)
_BOXES, _SCORES, _ANCHORS = range(3)
_COORDINATES = 4
_DETECTIONS_PER_CLASS = 100
"""What a file means that does not say it."""
_MOST = (1 << 31) - 1

document(
    "TFLite_Detection_PostProcess",
    types="float32, and uint8 to float32",
    limits="boxes with areas; the fast form: one class per detection",
    becomes="`scf.for` of `argmax` and `linalg.generic`s",
    exact="float32",
)


class DetectionOptions(Struct, frozen=True):
    """What the FlexBuffer of the operator says."""

    limits: SuppressionLimits
    classes: int
    is_regular: bool
    score: float
    scales: tuple[float, ...]
    """Of y, x, height and width in the encodings."""


@operator("TFLite_Detection_PostProcess", newest_version=1)
def detection_post_process(node: Node) -> Sequence[ir.Value]:
    """Lower the decoding of the boxes, and the detections of the regular or the fast form."""
    options = _checked(node)
    boxes = _decoded(node, options.scales)
    scores = _scores(node, options)
    first = _first_scores(scores, options)
    numbers = suppressed(boxes, first, options.limits)
    classes = _classes_of(numbers, scores, options)
    results = [
        _corners_of(numbers, boxes),
        classes,
        _scores_of(numbers, scores, classes),
        _count_of(numbers),
    ]
    most = options.limits.detections
    shapes = [(1, most, _COORDINATES), (1, most), (1, most), (1,)]
    return [emit.tosa_reshape(value, s) for value, s in zip(results, shapes, strict=True)]


def _checked(node: Node) -> DetectionOptions:
    """Return the options, after checking types and shapes."""
    node.expect_operands(3, results=4)
    node.expect_types(*((t, u, v, *[_F32] * 4) for t in _IN for u in _IN for v in _IN))
    options = _options(node)
    boxes, scores, anchors = (node.shape(i) for i in range(3))
    count = anchors[0] if anchors else 0
    columns = {options.classes, options.classes + 1}
    fits = len(boxes) == 3 and boxes[:2] == (1, count) and boxes[2] >= _COORDINATES
    fits = fits and anchors == (count, _COORDINATES) and count > 0
    if not fits or len(scores) != 3 or scores[:2] != (1, count) or scores[2] not in columns:
        node.malformed(
            f"boxes {list(boxes)}, scores {list(scores)} and anchors {list(anchors)} of "
            f"{options.classes} classes do not fit"
        )
    return options


def _options(node: Node) -> DetectionOptions:
    is_regular = bool(node.custom_options().get("use_regular_nms", False))
    classes = _integer(node, "num_classes", None)
    if not is_regular and min(_integer(node, "max_classes_per_detection", None), classes) > 1:
        node.refuse(
            "several classes per detection in the fast form",
            "set max_classes_per_detection to 1, or use_regular_nms",
        )
    most = _integer(node, "max_detections", None)
    per_class = _integer(node, "detections_per_class", _DETECTIONS_PER_CLASS)
    options = DetectionOptions(
        SuppressionLimits(
            most, per_class if is_regular else most, _real(node, "nms_iou_threshold")
        ),
        classes,
        is_regular,
        _real(node, "nms_score_threshold"),
        tuple(_real(node, f"{name}_scale") for name in "yxhw"),
    )
    if not 0 < options.limits.overlap <= 1 or not all(options.scales):
        node.malformed("its nms_iou_threshold is not in (0, 1], or a scale is 0")
    return options


def _integer(node: Node, name: str, default: int | None) -> int:
    value = node.custom_options().get(name, default)
    if not isinstance(value, int) or not 1 <= value <= _MOST:
        node.malformed(f"its option '{name}' is {value}, not a positive number")
    return int(value)


def _real(node: Node, name: str) -> float:
    value = node.custom_options().get(name)
    if not isinstance(value, int | float) or not math.isfinite(value):
        node.malformed(f"its option '{name}' is {value}, not a finite number")
    return float(np.float32(value))


def _operand(node: Node, index: int) -> ir.Value:
    """Return an operand in float32."""
    value = node.value(index)
    if node.input(index).type is _F32:
        return value
    quantization = node.quantization(node.input(index))
    f32 = ir.F32Type.get()

    def dequantized(ins: Sequence[ir.Value]) -> ir.Value:
        wide = scalar.add_constant(scalar.widen(ins[0]), -quantization.zero_point)
        real = arith.SIToFPOp(f32, wide).result
        return scalar.multiply(real, scalar.scalar_constant(quantization.scale, f32))

    return map_elements([value], node.shape(index), f32, dequantized)


def _decoded(node: Node, scales: Sequence[float]) -> Corners:
    """Return the corners: centre -+ half size, each rounded to float32 once."""
    f32, f64 = ir.F32Type.get(), ir.F64Type.get()
    _, count, columns = node.shape(_BOXES)
    encodings = emit.tosa_reshape(_operand(node, _BOXES), (count, columns))
    anchors = _operand(node, _ANCHORS)
    origins, sizes = _halves(anchors)
    centres, powers = _halves(encodings)
    divisors = np.array(scales, np.float32)

    def wide(ins: Sequence[ir.Value]) -> list[ir.Value]:
        return [arith.ExtFOp(f64, x).result for x in ins]

    def half(ins: Sequence[ir.Value]) -> ir.Value:
        encoding, divisor, anchor = wide(ins)
        power = mathlib.ExpOp(scalar.divide(encoding, divisor)).result
        halved = scalar.multiply(scalar.scalar_constant(0.5, f64), power)
        return arith.TruncFOp(f32, scalar.multiply(halved, anchor)).result

    def middle(ins: Sequence[ir.Value]) -> ir.Value:
        encoding, divisor, anchor, origin = wide(ins)
        moved = scalar.multiply(scalar.divide(encoding, divisor), anchor)
        return arith.TruncFOp(f32, scalar.add(moved, origin)).result

    shape = (count, 2)
    halves = map_elements([powers, emit.tosa_constant(divisors[2:]), sizes], shape, f32, half)
    ends = [halves, centres, emit.tosa_constant(divisors[:2]), sizes, origins]
    return Corners(
        map_elements(ends, shape, f32, lambda ins: scalar.subtract(middle(ins[1:]), ins[0])),
        map_elements(ends, shape, f32, lambda ins: scalar.add(middle(ins[1:]), ins[0])),
    )


def _halves(value: ir.Value) -> tuple[ir.Value, ir.Value]:
    """Return the first two columns, and the two behind them."""
    count, _ = emit.static_shape_of(value)
    return emit.tosa_slice(value, (0, 0), (count, 2)), emit.tosa_slice(value, (0, 2), (count, 2))


def _scores(node: Node, options: DetectionOptions) -> ir.Value:
    """Return the scores `[n, classes]`, without those of the background."""
    _, count, columns = node.shape(_SCORES)
    value = emit.tosa_reshape(_operand(node, _SCORES), (count, columns))
    background = columns - options.classes
    if not background:
        return value
    return emit.tosa_slice(value, (0, background), (count, options.classes))


def _first_scores(scores: ir.Value, options: DetectionOptions) -> ir.Value:
    """Return what is left before the first detection: `[classes, n]`, or the best `[1, n]`."""
    f32 = ir.F32Type.get()
    count, classes = emit.static_shape_of(scores)
    threshold = options.score
    if not options.is_regular:
        n, c = affine_dimensions(2)
        best = build_reduce(
            KernelDomain((count,), (classes,)),
            ReduceKernel(
                lambda _: [lowest()],
                lambda found, ins: [larger(found[0], ins[0])],
                lambda found, _count, _params: _at_least(found[0], threshold),
            ),
            ins=[ReduceOperand(scores, (n, c))],
            params=[],
            out=(n,),
            result=emit.tensor_type((count,), f32),
        )
        return emit.tosa_reshape(best, (1, count))
    c, n = affine_dimensions(2)
    return map_indexed(
        [(scores, [n, c])], (classes, count), f32, lambda ins: _at_least(ins[0], threshold)
    )


def _classes_of(numbers: ir.Value, scores: ir.Value, options: DetectionOptions) -> ir.Value:
    """Return the class of each detection, `[detections]` in float32."""
    f32 = ir.F32Type.get()
    count, _ = emit.static_shape_of(scores)
    best = None
    if not options.is_regular:
        best = tosa.ArgMaxOp(emit.tensor_type((count,), scalar.i32()), scores, 1).result

    def found(ins: Sequence[ir.Value]) -> ir.Value:
        if best is None:
            class_ = class_of(ins[0], count)
        else:
            class_ = tensor.ExtractOp(best, [detected_box(ins[0], count)]).result
        return arith.SIToFPOp(f32, _chosen(is_detection(ins[0]), class_, _i32(0))).result

    return map_elements([numbers], emit.static_shape_of(numbers), f32, found)


def _scores_of(numbers: ir.Value, scores: ir.Value, classes: ir.Value) -> ir.Value:
    count, _ = emit.static_shape_of(scores)
    f32, index = ir.F32Type.get(), ir.IndexType.get()

    def found(ins: Sequence[ir.Value]) -> ir.Value:
        number, class_ = ins
        column = arith.IndexCastOp(index, arith.FPToSIOp(scalar.i32(), class_).result).result
        score = tensor.ExtractOp(scores, [detected_box(number, count), column]).result
        return _chosen(is_detection(number), score, scalar.scalar_constant(0.0, f32))

    return map_elements([numbers, classes], emit.static_shape_of(numbers), f32, found)


def _corners_of(numbers: ir.Value, boxes: Corners) -> ir.Value:
    count, _ = emit.static_shape_of(boxes.low)
    (most,) = emit.static_shape_of(numbers)
    i, _ = affine_dimensions(2)
    f32 = ir.F32Type.get()

    def rows(corner: ir.Value) -> ir.Value:
        def found(ins: Sequence[ir.Value]) -> ir.Value:
            at = [detected_box(ins[0], count), position_along(1)]
            value = tensor.ExtractOp(corner, at).result
            return _chosen(is_detection(ins[0]), value, scalar.scalar_constant(0.0, f32))

        return map_indexed([(numbers, [i])], (most, 2), f32, found)

    return emit.tosa_concat([rows(boxes.low), rows(boxes.high)], 1)


def _count_of(numbers: ir.Value) -> ir.Value:
    (k,) = affine_dimensions(1)

    def counted(sums: Scalars, ins: Scalars) -> Scalars:
        return [scalar.add(sums[0], scalar.widen(is_detection(ins[0]), unsigned=True))]

    def as_real(sums: Scalars, _count: ir.Value, _params: Scalars) -> ir.Value:
        return arith.SIToFPOp(ir.F32Type.get(), sums[0]).result

    return build_reduce(
        KernelDomain((), emit.static_shape_of(numbers)),
        ReduceKernel(
            lambda _: [_i32(0)],
            counted,
            as_real,
        ),
        ins=[ReduceOperand(numbers, (k,))],
        params=[],
        out=(zero(),),
        result=emit.tensor_type((1,), ir.F32Type.get()),
    )


def _at_least(score: ir.Value, threshold: float) -> ir.Value:
    """Return the score, or -inf where it is below the threshold."""
    limit = scalar.scalar_constant(threshold, score.type)
    return _chosen(arith.CmpFOp(arith.CmpFPredicate.OGE, score, limit).result, score, lowest())


def _chosen(condition: ir.Value, a: ir.Value, b: ir.Value) -> ir.Value:
    return arith.SelectOp(condition, a, b).result


def _i32(value: int) -> ir.Value:
    return scalar.scalar_constant(value, scalar.i32())
