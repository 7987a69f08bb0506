"""Non-maximum suppression: the positions of the best scores whose boxes do not overlap.

    for each detection:
        number = the position of the best score that is left: the lowest class, then the lowest box
        left   = -inf for this box, and in its class for all boxes that overlap it

An iteration of an `scf.for` is a detection; `tosa.argmax` finds its number.
Source: TFLite Micro `detection_postprocess.cc`, which sorts the scores of each class instead.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.dialects import arith, scf, tensor, tosa
from msgspec import Struct

from forebay.frontends.elementwise import map_elements, map_indexed, position_along
from forebay.frontends.tflite.lowering import emit
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


class SuppressionLimits(Struct, frozen=True):
    """The largest number of detections, of those per class, and the largest overlap of two."""

    detections: int
    per_class: int
    overlap: float


class Corners(Struct, frozen=True, eq=False):
    """The lower and the upper corners of all boxes, `[n, 2]` each: y and x."""

    low: ir.Value
    high: ir.Value

    def corners(self, place: ir.Value) -> list[ir.Value]:
        """Return the low y and x and the high y and x of a box."""
        ends = [(corner, j) for corner in (self.low, self.high) for j in range(2)]
        return [tensor.ExtractOp(corner, [place, _index(j)]).result for corner, j in ends]


def suppressed(boxes: Corners, first: ir.Value, limits: SuppressionLimits) -> ir.Value:
    """Return the position in `first` of each detection, -1 after the last one."""
    index = ir.IndexType.get()
    most = limits.detections
    start, one, end = (arith.ConstantOp(index, n).result for n in (0, 1, most))
    numbers = tensor.EmptyOp([most], scalar.i32()).result
    if _closes_classes(first, limits):
        numbers = emit.tosa_constant(np.full(most, -1, np.int32))
    loop = scf.ForOp(start, end, one, [first, numbers])
    with ir.InsertionPoint(loop.body):
        step = loop.induction_variable
        left, numbers = loop.inner_iter_args
        number = _best(left)
        dynamic = ir.ShapedType.get_dynamic_stride_or_offset()
        numbers = tensor.InsertSliceOp(number, numbers, [step], [], [], [dynamic], [1], [1]).result
        ended = _overlapping(boxes, number, limits.overlap)
        scf.YieldOp([_remaining(left, number, ended, numbers, limits), numbers])
    return loop.results[1]


def _best(left: ir.Value) -> ir.Value:
    """Return the position `[1]` of the largest score, the first of several; -1 if none is left."""
    rows, count = emit.static_shape_of(left)
    flat = emit.tosa_reshape(left, (1, rows * count))
    best = tosa.ArgMaxOp(emit.tensor_type((1,), scalar.i32()), flat, 1).result

    def found(ins: Sequence[ir.Value]) -> ir.Value:
        place = arith.IndexCastOp(ir.IndexType.get(), ins[0]).result
        score = tensor.ExtractOp(flat, [_index(0), place]).result
        return _chosen(_is_above(score, lowest()), ins[0], _i32(-1))

    return map_elements([best], (1,), scalar.i32(), found)


def _overlapping(boxes: Corners, number: ir.Value, limit: float) -> ir.Value:
    """Return `[n]`: whether a box is that of the number, or overlaps it too much."""
    count, _ = emit.static_shape_of(boxes.low)

    def overlaps(ins: Sequence[ir.Value]) -> ir.Value:
        place = detected_box(ins[0], count)
        ratio = _intersection_over_union(boxes.corners(place), boxes.corners(position_along(0)))
        is_same = arith.CmpIOp(arith.CmpIPredicate.eq, place, position_along(0)).result
        above = _is_above(ratio, scalar.scalar_constant(limit, ratio.type))
        return arith.OrIOp(is_same, above).result

    return map_indexed([(number, [zero()])], (count,), emit.signless(1), overlaps)


def _intersection_over_union(a: Sequence[ir.Value], b: Sequence[ir.Value]) -> ir.Value:
    """Return the ratio of areas, 0 where a box has none; a box is low y, low x, high y, high x."""
    nothing = scalar.scalar_constant(0.0, a[0].type)
    areas = [scalar.multiply(*(scalar.subtract(x[j + 2], x[j]) for j in (0, 1))) for x in (a, b)]
    sides = [scalar.subtract(_smaller(a[j + 2], b[j + 2]), larger(a[j], b[j])) for j in (0, 1)]
    common = scalar.multiply(*(larger(side, nothing) for side in sides))
    union = scalar.subtract(scalar.add(*areas), common)
    have_areas = arith.AndIOp(*(_is_above(area, nothing) for area in areas)).result
    return _chosen(have_areas, scalar.divide(common, union), nothing)


def _remaining(
    left: ir.Value,
    number: ir.Value,
    ended: ir.Value,
    numbers: ir.Value,
    limits: SuppressionLimits,
) -> ir.Value:
    """Return what is left after the detection `number`."""
    rows, count = emit.static_shape_of(left)
    c, n = affine_dimensions(2)
    operands = [(left, [c, n]), (ended, [n]), (number, [zero()])]
    closes = _closes_classes(left, limits)
    if closes:
        operands.append((_is_complete(number, numbers, count, limits.per_class), [zero()]))

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        score, ends, place = ins[:3]
        if closes:
            ends = arith.OrIOp(ends, ins[3]).result
        if rows > 1:
            is_first = arith.CmpIOp(
                arith.CmpIPredicate.eq, class_of(place, count), _narrowed(position_along(0))
            )
            ends = arith.AndIOp(ends, is_first.result).result
        return _chosen(ends, lowest(), score)

    return map_indexed(operands, (rows, count), ir.F32Type.get(), compute)


def _closes_classes(left: ir.Value, limits: SuppressionLimits) -> bool:
    """Return whether a class can have more detections than it may."""
    _, count = emit.static_shape_of(left)
    return limits.per_class < min(count, limits.detections)


def _is_complete(number: ir.Value, numbers: ir.Value, count: int, most: int) -> ir.Value:
    """Return `[1]`: whether the class of the number has all detections that it may have."""
    (k,) = affine_dimensions(1)

    def counted(sums: Scalars, ins: Scalars) -> Scalars:
        classes = [class_of(x, count) for x in ins]
        is_own = arith.CmpIOp(arith.CmpIPredicate.eq, *classes).result
        counts = arith.AndIOp(is_own, is_detection(ins[0])).result
        return [scalar.add(sums[0], scalar.widen(counts, unsigned=True))]

    def complete(sums: Scalars, _count: ir.Value, _params: Scalars) -> ir.Value:
        return arith.CmpIOp(arith.CmpIPredicate.sge, sums[0], _i32(most)).result

    return build_reduce(
        KernelDomain((), emit.static_shape_of(numbers)),
        ReduceKernel(
            lambda _: [_i32(0)],
            counted,
            complete,
        ),
        ins=[ReduceOperand(numbers, (k,)), ReduceOperand(number, (zero(),))],
        params=[],
        out=(zero(),),
        result=emit.tensor_type((1,), emit.signless(1)),
    )


def detected_box(number: ir.Value, count: int) -> ir.Value:
    """Return the box of a number; the first one for -1."""
    positive = scalar.at_least(number, _i32(0))
    box = arith.RemSIOp(positive, _i32(count)).result
    return arith.IndexCastOp(ir.IndexType.get(), box).result


def class_of(number: ir.Value, count: int) -> ir.Value:
    """Return the class of a number that is not -1."""
    return scalar.divide(number, _i32(count))


def is_detection(number: ir.Value) -> ir.Value:
    """Return whether a number is not -1."""
    return arith.CmpIOp(arith.CmpIPredicate.sge, number, _i32(0)).result


def larger(a: ir.Value, b: ir.Value) -> ir.Value:
    """Return the larger float, `a` of two equal ones."""
    return _chosen(_is_above(b, a), b, a)


def _smaller(a: ir.Value, b: ir.Value) -> ir.Value:
    return _chosen(_is_above(a, b), b, a)


def _is_above(a: ir.Value, b: ir.Value) -> ir.Value:
    return arith.CmpFOp(arith.CmpFPredicate.OGT, a, b).result


def _chosen(condition: ir.Value, a: ir.Value, b: ir.Value) -> ir.Value:
    return arith.SelectOp(condition, a, b).result


def lowest() -> ir.Value:
    """Return -inf, the score of a box that is out."""
    return scalar.scalar_constant(-math.inf, ir.F32Type.get())


def _i32(value: int) -> ir.Value:
    return scalar.scalar_constant(value, scalar.i32())


def _index(value: int) -> ir.Value:
    return scalar.scalar_constant(value, ir.IndexType.get())


def _narrowed(index: ir.Value) -> ir.Value:
    return arith.IndexCastOp(scalar.i32(), index).result
