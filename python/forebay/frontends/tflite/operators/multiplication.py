"""MUL.

    int8, int16: rescale (a) -> i32, rescale (b) -> i32, mul, rescale -> i8 | i16, [clamp]
    float32:     mul, [clamp]

The first two rescales multiply by one: they widen the value and subtract the zero point.
Source: TFLite Micro `mul_common.cc`, `reference/integer_ops/mul.h`.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith

from forebay.frontends.tflite.file.options import OperatorOptions, SchemaInt8
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.kernels.integers import INTEGERS, lower_integers
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.activation import activate
from forebay.frontends.tflite.lowering.broadcast import broadcast_operands
from forebay.frontends.tflite.lowering.node import DIFFERENCE, Node
from forebay.frontends.tflite.lowering.quantize import IDENTITY
from forebay.frontends.tflite.lowering.registry import document, operator


class MulOptions(OperatorOptions, frozen=True):
    """MUL."""

    fused_activation_function: SchemaInt8


_TYPES = tuple(
    (element,) * 3
    for element in (ElementType.INT8, ElementType.INT16, ElementType.FLOAT32, *INTEGERS)
)
_REACHES = {ElementType.INT8: DIFFERENCE**2, ElementType.INT16: 1 << 30}
"""The largest magnitude of a product; values of int16 have no zero point."""

document(
    "MUL",
    types="int8, int16, int32, int64, float32",
    limits="broadcasting",
    becomes="`rescale` ×2, `mul`, `rescale`, [`clamp`]; int32, int64: `linalg.generic`",
    exact="yes",
)


@operator("MUL", newest_version=7)
def mul(node: Node) -> Sequence[ir.Value]:
    """Lower the product of two tensors of one shape, or broadcast to one."""
    node.expect_operands(2)
    node.expect_types(*_TYPES)
    activation = node.options(MulOptions).fused_activation_function
    if node.output.type in INTEGERS:
        return [lower_integers(node, arith.MulIOp, activation)]
    a, b, shape = broadcast_operands(node)
    if node.output.type is ElementType.FLOAT32:
        return [activate(node, emit.tosa_multiply(a, b, shape), activation)]
    qa, qb = (node.quantization(t) for t in node.inputs())
    target, element = node.quantization(node.output), node.output.type
    product = emit.tosa_multiply(
        emit.tosa_rescale(a, emit.signless(32), [IDENTITY], input_zp=qa.zero_point),
        emit.tosa_rescale(b, emit.signless(32), [IDENTITY], input_zp=qb.zero_point),
        shape,
    )
    factor = node.multiplier(qa.scale * qb.scale / target.scale, reach=_REACHES[element])
    result = emit.mlir_type_of(element)
    value = emit.tosa_rescale(product, result, [factor], output_zp=target.zero_point)
    return [activate(node, value, activation)]
