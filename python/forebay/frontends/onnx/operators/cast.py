"""Cast, comparisons, logic and Where."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.dialects import arith
from onnx import helper

from forebay.frontends import tosa as emit
from forebay.frontends.elementwise import map_elements, single_result
from forebay.frontends.onnx.lowering.align import aligned
from forebay.frontends.onnx.lowering.layout import LaidOut
from forebay.frontends.onnx.lowering.node import HALF, OnnxNode, onnx_element
from forebay.frontends.onnx.lowering.registry import document_onnx, onnx_operator
from forebay.lowering.kernels import scalar

document_onnx(
    *("And", "Cast", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Not", "Or"),
    *("Where", "Xor"),
    types="float32, int32, int64, bool; Cast: int8, uint8, too",
    limits="a float outside of the integers of a Cast has no defined result",
    golden="bits",
)

_COMPARISONS = {
    "Equal": (arith.CmpFPredicate.OEQ, arith.CmpIPredicate.eq),
    "Greater": (arith.CmpFPredicate.OGT, arith.CmpIPredicate.sgt),
    "GreaterOrEqual": (arith.CmpFPredicate.OGE, arith.CmpIPredicate.sge),
    "Less": (arith.CmpFPredicate.OLT, arith.CmpIPredicate.slt),
    "LessOrEqual": (arith.CmpFPredicate.OLE, arith.CmpIPredicate.sle),
}


_LOGIC = {"And": arith.AndIOp, "Or": arith.OrIOp, "Xor": arith.XOrIOp}


@onnx_operator(*_COMPARISONS)
def comparison(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower a comparison of two elements."""
    floats, integers = _COMPARISONS[node.operator.kind]
    operands = aligned(node, [0, 1])

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        if isinstance(ins[0].type, ir.FloatType):
            return arith.CmpFOp(floats, *ins).result
        return arith.CmpIOp(integers, *ins).result

    value = map_elements(operands.values, operands.shape, emit.signless(1), compute)
    return [operands.result(value)]


@onnx_operator("And", "Or", "Not", "Xor")
def logic(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower an operation on truth values."""
    operands = aligned(node, range(node.arity))
    i1 = emit.signless(1)

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        if node.operator.kind == "Not":
            return arith.XOrIOp(ins[0], scalar.scalar_constant(1, i1)).result
        return _LOGIC[node.operator.kind](ins[0], ins[1]).result

    return [operands.result(map_elements(operands.values, operands.shape, i1, compute))]


@onnx_operator("Where")
def where(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower the choice of one of two elements."""
    operands = aligned(node, [0, 1, 2])
    element = emit.element_of(operands.values[1])
    value = map_elements(
        operands.values,
        operands.shape,
        element,
        lambda ins: single_result(arith.SelectOp(ins[0], ins[1], ins[2])),
    )
    return [operands.result(value)]


@onnx_operator("Cast")
def cast(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower a conversion; floats become integers by truncation."""
    source = node.dtype(0)
    target = np.dtype(helper.tensor_dtype_to_np_dtype(int(node.attribute("to", 1))))
    element = onnx_element(target)
    if element is None:
        node.refuse(f"a cast to {target.name}", "use one of the types below")
    operand = node.operand(0)
    if source == target:
        return [operand]

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        return _converted(ins[0], source, target, element)

    shape = emit.static_shape_of(operand.value)
    return [operand.with_value(map_elements([operand.value], shape, element, compute))]


def _converted(
    value: ir.Value, source: np.dtype[np.generic], target: np.dtype[np.generic], to: ir.Type
) -> ir.Value:
    """Convert by way of int64, or of float32."""
    i64 = emit.signless(64)
    if isinstance(value.type, ir.FloatType):
        if target == np.bool_:
            zero = scalar.scalar_constant(0.0, value.type)
            return arith.CmpFOp(arith.CmpFPredicate.UNE, value, zero).result
        wide = arith.FPToSIOp(i64, value).result
    else:
        extend = arith.ExtUIOp if source == np.bool_ else arith.ExtSIOp
        wide = value if value.type == i64 else extend(i64, value).result
        wide = scalar.add_constant(wide, HALF) if source == np.uint8 else wide
    if isinstance(to, ir.FloatType):
        return arith.SIToFPOp(to, wide).result
    if target == np.bool_:
        zero = scalar.scalar_constant(0, i64)
        return arith.CmpIOp(arith.CmpIPredicate.ne, wide, zero).result
    wide = scalar.add_constant(wide, -HALF) if target == np.uint8 else wide
    return scalar.narrow(wide, to)
