"""ADD.

    int8:    rescale(a) -> i32, rescale(b) -> i32, add, rescale -> i8, [clamp]
    float32: add, [clamp]

TFLite shifts both operands left by 20 bits, brings them to twice the larger scale with its
twofold rounding, adds, and rescales. The operand with the larger scale (a factor of exactly 1/2)
takes one RESCALE; the other one takes two, the shift and the factor, because a single one
would round once. Source: TFLite Micro `add_common.cc`, `reference/integer_ops/add.h`.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import tosa

from forebay.frontends.tflite import emit
from forebay.frontends.tflite.activation import activate
from forebay.frontends.tflite.broadcast import broadcast_operands
from forebay.frontends.tflite.node import Node
from forebay.frontends.tflite.options import AddOptions
from forebay.frontends.tflite.quantize import Multiplier
from forebay.frontends.tflite.registry import operator
from forebay.frontends.tflite.schema import ElementType

_LEFT_SHIFT = 20
_SHIFT_LEFT = Multiplier(1 << 30, _LEFT_SHIFT + 1)
_INT8 = (ElementType.INT8,) * 3
_FLOAT = (ElementType.FLOAT32,) * 3


@operator("ADD", newest_version=2)
def add(node: Node) -> Sequence[ir.Value]:
    """The sum of two tensors of one shape, or broadcast to one."""
    node.expect_operands(2)
    node.expect_types(_INT8, _FLOAT)
    options = node.options(AddOptions)
    a, b, shape = broadcast_operands(node)
    if node.output.type is ElementType.FLOAT32:
        total = tosa.AddOp(emit.tensor_type(shape, ir.F32Type.get()), a, b).result
        return [activate(node, total, options.fused_activation_function)]
    scales = [node.quantization(t).scale for t in (node.input(0), node.input(1))]
    twice = 2.0 * max(scales)
    i32 = ir.IntegerType.get_signless(32)
    total = tosa.AddOp(
        emit.tensor_type(shape, i32), _widen(node, 0, a, twice), _widen(node, 1, b, twice)
    ).result
    target = node.quantization(node.output)
    value = emit.rescale(
        total,
        emit.element_type(ElementType.INT8),
        [node.multiplier(twice / ((1 << _LEFT_SHIFT) * target.scale))],
        output_zp=target.zero_point,
    )
    return [activate(node, value, options.fused_activation_function)]


def _widen(node: Node, index: int, value: ir.Value, twice_scale: float) -> ir.Value:
    quantization = node.quantization(node.input(index))
    factor = node.multiplier(quantization.scale / twice_scale)
    i32 = ir.IntegerType.get_signless(32)
    if factor.exponent == 0:
        combined = Multiplier(factor.significand, factor.exponent + _LEFT_SHIFT)
        return emit.rescale(value, i32, [combined], input_zp=quantization.zero_point)
    shifted = emit.rescale(value, i32, [_SHIFT_LEFT], input_zp=quantization.zero_point)
    return emit.rescale(shifted, i32, [factor])
