"""CAST between numbers: one linalg.generic.

Floats are truncated towards zero; TFLite leaves it to the machine what a float outside of the
integer's range becomes, and here it saturates. Integers keep their low bits. Any number but zero is
true.
Source: TFLite Micro `cast.cc`.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith

from forebay.frontends.elementwise import map_elements
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import document, operator
from forebay.lowering.kernels import scalar

_BOOL, _F32 = ElementType.BOOL, ElementType.FLOAT32
_KNOWN = (
    *(ElementType.INT8, ElementType.UINT8, ElementType.INT16, ElementType.INT32),
    *(ElementType.INT64, ElementType.UINT32, _F32, _BOOL),
)
_WIDE = 4
"""The bytes of integers that a conversion to 32 bits does not hold."""
_UNSIGNED = (ElementType.UINT8, ElementType.UINT32, _BOOL)

document(
    "CAST",
    types="all below and uint32, to each other",
    becomes="`linalg.generic`",
    exact="yes",
)


@operator("CAST", newest_version=7)
def cast(node: Node) -> Sequence[ir.Value]:
    """Lower a conversion of stored numbers, without regard to quantisation."""
    node.expect_operands(1)
    node.expect_types(*((a, b) for a in _KNOWN for b in _KNOWN))
    source, target = node.input(0).type, node.output.type
    if source is target:
        return [node.value(0)]
    element = emit.mlir_type_of(target)
    return [
        map_elements(
            [node.value(0)], node.shape(0), element, lambda ins: _convert(ins[0], source, target)
        )
    ]


def _convert(x: ir.Value, source: ElementType, target: ElementType) -> ir.Value:
    element = emit.mlir_type_of(target)
    if target is _BOOL:
        zero = scalar.scalar_constant(0, x.type)
        if source is _F32:
            return arith.CmpFOp(arith.CmpFPredicate.UNE, x, zero).result
        return arith.CmpIOp(arith.CmpIPredicate.ne, x, zero).result
    if source is _F32:
        return _truncated(x, target)
    if target is _F32:
        convert = arith.UIToFPOp if source in _UNSIGNED else arith.SIToFPOp
        return convert(element, x).result
    if ir.IntegerType(element).width > ir.IntegerType(x.type).width:
        extend = arith.ExtUIOp if source in _UNSIGNED else arith.ExtSIOp
        return extend(element, x).result
    return scalar.narrow(x, element)


def _truncated(x: ir.Value, target: ElementType) -> ir.Value:
    """Return the float as an integer, by way of 32 or 64 bits."""
    low, high = target.range
    wide = emit.signless(64) if target.bytes >= _WIDE else scalar.i32()
    below = float(high) if high < 1 << 24 else float(high + 1) - (high + 1) / (1 << 24)
    limited = scalar.clamp(x, float(low), below, ignores_nan=True)
    return scalar.narrow(arith.FPToSIOp(wide, limited).result, emit.mlir_type_of(target))
