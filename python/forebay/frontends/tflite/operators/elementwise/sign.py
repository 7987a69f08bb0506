"""SIGN: -1, 0 or 1; of NaN 0, as in TFLite's kernel, which subtracts two comparisons."""

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

document("SIGN", types="int32, float32", becomes="`linalg.generic`", exact="yes", golden="LiteRT")


@operator("SIGN", newest_version=2)
def sign(node: Node) -> Sequence[ir.Value]:
    """Lower to one function of each element."""
    node.expect_operands(1)
    node.expect_types(*((kind,) * 2 for kind in (ElementType.INT32, ElementType.FLOAT32)))
    value = node.value(0)
    element = emit.element_of(value)
    shape = emit.static_shape_of(value)
    return [map_elements([value], shape, element, lambda ins: _sign(ins[0]))]


def _sign(x: ir.Value) -> ir.Value:
    zero, one, minus = (scalar.scalar_constant(i, x.type) for i in (0, 1, -1))
    if isinstance(x.type, ir.FloatType):
        above = arith.CmpFOp(arith.CmpFPredicate.OGT, x, zero).result
        below = arith.CmpFOp(arith.CmpFPredicate.OLT, x, zero).result
    else:
        above = arith.CmpIOp(arith.CmpIPredicate.sgt, x, zero).result
        below = arith.CmpIOp(arith.CmpIPredicate.slt, x, zero).result
    return arith.SelectOp(above, one, arith.SelectOp(below, minus, zero).result).result
