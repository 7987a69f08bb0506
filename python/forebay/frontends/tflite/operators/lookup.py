"""LOGISTIC, TANH, HARD_SWISH and LEAKY_RELU.

    int8:    table of 256 entries, each computed as in TFLite Micro
    int16:   LEAKY_RELU: rescale, rescale, greater_equal, select
    float32: sigmoid | tanh | add, clamp, mul, mul | mul, greater, select

Source: TFLite Micro `logistic_common.cc`, `tanh.cc`, `hard_swish_common.cc`,
`leaky_relu_common.cc` and the reference kernels that they call.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from mlir import ir
from mlir.dialects import tosa

from forebay.frontends.tflite.file.options import OperatorOptions
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.kernels.fixed_sigmoid import fixed_logistic, fixed_tanh
from forebay.frontends.tflite.kernels.sigmoid_of_int16 import lower_int16
from forebay.frontends.tflite.lowering import emit, fixed_point
from forebay.frontends.tflite.lowering.hard_swish import FINE, RELUISH_SCALE, HardSwish
from forebay.frontends.tflite.lowering.node import DIFFERENCE, Node
from forebay.frontends.tflite.lowering.quantize import Multiplier, multiply_by_quantized_multiplier
from forebay.frontends.tflite.lowering.registry import document, operator


class LeakyReluOptions(OperatorOptions, frozen=True):
    """LEAKY_RELU."""

    alpha: float


_TYPES = ((ElementType.INT8,) * 2, (ElementType.FLOAT32,) * 2)
_INPUT_INTEGER_BITS = 4
_LARGEST_SHIFT = 62
"""The largest shift of an input: TFLite divides by 2**shift in 64 bits to find its radius."""

document("HARD_SWISH", types="int8, float32", becomes="int8: `table`", exact="int8")

document(
    "LEAKY_RELU",
    types="int8, int16, float32",
    becomes="int8: `table`; int16: `rescale` ×2, `select`",
    exact="int8, int16",
)

document(
    "LOGISTIC",
    "TANH",
    types="int8, int16, float32",
    limits="int8 and int16 results in TFLite's fixed scales",
    becomes="int8: `table`; int16: `linalg.generic`; `sigmoid` | `tanh`",
    exact="int8, int16",
)


@operator("LOGISTIC", newest_version=3)
def logistic(node: Node) -> Sequence[ir.Value]:
    """Lower `1 / (1 + exp(-x))`; an int8 result has scale 1/256 and zero point -128."""
    if _is_wide(node):
        return [lower_int16(node, fixed_logistic, (0,))]
    if _is_float(node):
        return [tosa.SigmoidOp(node.value(0).type, node.value(0)).result]
    _expect_result(node, 1.0 / 256.0, -128)
    return [_table(node, _saturating(node, fixed_point.logistic, 23, -128))]


@operator("TANH", newest_version=3)
def tanh(node: Node) -> Sequence[ir.Value]:
    """Lower the hyperbolic tangent; an int8 result has scale 1/128 and zero point 0."""
    if _is_wide(node):
        return [lower_int16(node, fixed_tanh, (0, 1))]
    if _is_float(node):
        return [tosa.TanhOp(node.value(0).type, node.value(0)).result]
    _expect_result(node, 1.0 / 128.0, 0)
    return [_table(node, _saturating(node, fixed_point.tanh, 24, 0))]


@operator("HARD_SWISH", newest_version=1)
def hard_swish(node: Node) -> Sequence[ir.Value]:
    """Lower `x * min(max(x + 3, 0), 6) / 6`."""
    if _is_float(node):
        return [_float_hard_swish(node.value(0))]
    source, target = node.quantization(node.input(0)), node.quantization(node.output)
    fine = source.scale / FINE
    output = node.multiplier(fine / target.scale)
    if output.exponent > 0:
        node.refuse("an output scale below 1/128 of the input's", "check the scales")
    reluish = node.multiplier(fine / RELUISH_SCALE)
    return [_table(node, HardSwish.of(source, target, output, reluish))]


@operator("LEAKY_RELU", newest_version=2)
def leaky_relu(node: Node) -> Sequence[ir.Value]:
    """Lower `x` where it is positive, else `alpha * x`."""
    node.expect_operands(1)
    node.expect_types(*_TYPES, (ElementType.INT16,) * 2)
    is_float = node.output.type is ElementType.FLOAT32
    alpha = node.options(LeakyReluOptions).alpha
    if not math.isfinite(alpha):
        node.malformed(f"its alpha is {alpha}")
    if is_float:
        return [_float_leaky_relu(node.value(0), alpha)]
    source, target = node.quantization(node.input(0)), node.quantization(node.output)
    reach = DIFFERENCE if node.output.type is ElementType.INT8 else 1 << 15
    positive = node.multiplier(source.scale / target.scale, reach=reach)
    negative = node.multiplier(source.scale * abs(alpha) / target.scale, reach=reach)
    if node.output.type is ElementType.INT16:
        return [_wide_leaky_relu(node.value(0), positive, negative, negated=alpha < 0)]

    def element(x: int) -> int:
        value = x - source.zero_point
        factor = positive if value >= 0 else negative
        if value < 0 and alpha < 0:
            value = -value
        return target.zero_point + multiply_by_quantized_multiplier(value, factor)

    return [_table(node, element)]


def _is_wide(node: Node) -> bool:
    node.expect_operands(1)
    return node.output.type is ElementType.INT16


def _is_float(node: Node) -> bool:
    node.expect_operands(1)
    node.expect_types(*_TYPES)
    return node.output.type is ElementType.FLOAT32


def _expect_result(node: Node, scale: float, zero_point: int) -> None:
    target = node.quantization(node.output)
    if (target.scale, target.zero_point) != (scale, zero_point):
        node.refuse(
            f"an output of scale {target.scale:g} and zero point {target.zero_point}",
            f"TFLite's int8 {node.operator.name} has scale {scale:g} and zero point {zero_point}",
        )


def _saturating(
    node: Node, function: Callable[[int], int], drop: int, offset: int
) -> Callable[[int], int]:
    """Return a function from Q4.27 to Q0.31 on quantised input, saturated where Q4.27 ends."""
    source = node.quantization(node.input(0))
    factor = node.multiplier(source.scale * (1 << (31 - _INPUT_INTEGER_BITS)), _LARGEST_SHIFT)
    if factor.exponent < 0:
        node.refuse(f"an input scale of {source.scale:g}", "use a larger one")
    radius = _radius(factor)

    def element(x: int) -> int:
        value = x - source.zero_point
        # With a scale above 8 the radius is 0, and TFLite compares with the lower end first.
        if value <= -radius:
            return -128
        if value >= radius:
            return 127
        result = function(multiply_by_quantized_multiplier(value, factor))
        return fixed_point.divide_by_power_of_two(result, drop) + offset

    return element


def _radius(factor: Multiplier) -> int:
    """Return the largest input without saturation: TFLite's `CalculateInputRadius`."""
    largest = ((1 << _INPUT_INTEGER_BITS) - 1) * (1 << (31 - _INPUT_INTEGER_BITS))
    return largest >> factor.exponent


def _table(node: Node, element: Callable[[int], int]) -> ir.Value:
    entries = [max(-128, min(127, element(x))) for x in range(-128, 128)]
    return emit.tosa_table(node.value(0), entries)


def _float_hard_swish(x: ir.Value) -> ir.Value:
    shape = emit.static_shape_of(x)
    three = emit.tosa_constant(np.full((1,) * len(shape), 3.0, np.float32))
    sixth = emit.tosa_constant(np.full((1,) * len(shape), 1.0 / 6.0, np.float32))
    shifted = emit.clamp_float(tosa.AddOp(x.type, x, three).result, 0.0, 6.0)
    return emit.tosa_multiply(emit.tosa_multiply(x, shifted, shape), sixth, shape)


def _float_leaky_relu(x: ir.Value, alpha: float) -> ir.Value:
    shape = emit.static_shape_of(x)
    ones = (1,) * len(shape)
    slope = emit.tosa_multiply(x, emit.tosa_constant(np.full(ones, alpha, np.float32)), shape)
    zero = emit.tosa_constant(np.zeros(ones, np.float32))
    positive = tosa.GreaterOp(emit.tensor_type(shape, emit.signless(1)), x, zero).result
    return tosa.SelectOp(x.type, positive, x, slope).result


def _wide_leaky_relu(
    x: ir.Value, positive: Multiplier, negative: Multiplier, *, negated: bool
) -> ir.Value:
    """Build the operator on int16, whose table would have 65,536 entries.

    A multiplier is not negative, so the elements are `negated` for a negative alpha.
    """
    i1, i16 = emit.signless(1), emit.signless(16)
    wide = emit.tosa_cast(x, emit.signless(32))
    zero = emit.tosa_constant(np.zeros((1,) * len(emit.static_shape_of(x)), np.int32))
    condition = tosa.GreaterEqualOp(
        emit.tensor_type(emit.static_shape_of(x), i1), wide, zero
    ).result
    below = tosa.SubOp(wide.type, zero, wide).result if negated else x
    branches = [emit.tosa_rescale(x, i16, [positive]), emit.tosa_rescale(below, i16, [negative])]
    return tosa.SelectOp(x.type, condition, *branches).result
