"""EQUAL, NOT_EQUAL, GREATER, GREATER_EQUAL, LESS, LESS_EQUAL, and logic on their results.

Each is one linalg.generic. Operands of int8 are compared as TFLite Micro does: each is shifted left
by 8 bits and multiplied by its scale in fixed point, so nearly equal values may compare as equal.
Source: TFLite Micro `comparisons.cc`, `logical.cc`, TFLite `reference/comparisons.h`.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith

from forebay.frontends.elementwise import map_elements, single_result
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.kernels.scaled import centred, rescaled
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.broadcast import result_shape
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import document, operator
from forebay.lowering.kernels import scalar

_INTEGERS = (ElementType.INT32, ElementType.INT64, ElementType.BOOL)
_LEFT_SHIFT = 8
_FLOAT, _INTEGER = arith.CmpFPredicate, arith.CmpIPredicate
_PREDICATES = {
    "EQUAL": (_FLOAT.OEQ, _INTEGER.eq),
    "NOT_EQUAL": (_FLOAT.UNE, _INTEGER.ne),
    "GREATER": (_FLOAT.OGT, _INTEGER.sgt),
    "GREATER_EQUAL": (_FLOAT.OGE, _INTEGER.sge),
    "LESS": (_FLOAT.OLT, _INTEGER.slt),
    "LESS_EQUAL": (_FLOAT.OLE, _INTEGER.sle),
}
_LOGIC = {"LOGICAL_AND": arith.AndIOp, "LOGICAL_OR": arith.OrIOp}

document(
    *_PREDICATES,
    types="int8, int16, int32, int64, float32; EQUAL and NOT_EQUAL: bool",
    limits="broadcasting",
    becomes="`linalg.generic`",
    exact="yes",
)
document(
    "LOGICAL_AND",
    "LOGICAL_OR",
    "LOGICAL_NOT",
    types="bool",
    limits="broadcasting",
    becomes="`linalg.generic`",
    exact="yes",
)


def _compare(node: Node) -> Sequence[ir.Value]:
    node.expect_operands(2)
    known = (ElementType.FLOAT32, ElementType.INT8, ElementType.INT16, *_INTEGERS)
    node.expect_types(*((t, t, ElementType.BOOL) for t in known))
    is_equality = node.operator.name in ("EQUAL", "NOT_EQUAL")
    if node.input(0).type is ElementType.BOOL and not is_equality:
        node.refuse("an order of values of BOOL", "use logical operators")
    by_float, by_integer = _PREDICATES[node.operator.name]
    if node.input(0).type is ElementType.INT16:
        _expect_one_quantization(node)
    is_quantised = node.input(0).type is ElementType.INT8
    scales = [node.quantization(t) for t in node.inputs()] if is_quantised else []
    factors = [node.multiplier(q.scale) for q in scales]
    if any(factor.exponent > 0 for factor in factors):
        node.refuse("a comparison of scales of 1 and more", "TFLite takes scales below 1")

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        if is_quantised:
            ins = [
                rescaled(scalar.scaled(centred(x, q.zero_point), 1 << _LEFT_SHIFT), factor)
                for x, q, factor in zip(ins, scales, factors, strict=True)
            ]
        if isinstance(ins[0].type, ir.FloatType):
            return arith.CmpFOp(by_float, *ins).result
        return arith.CmpIOp(by_integer, *ins).result

    operands = [node.value(0), node.value(1)]
    return [map_elements(operands, result_shape(node, 0, 1), emit.signless(1), compute)]


def _expect_one_quantization(node: Node) -> None:
    """Refuse int16 of two scales: TFLite Micro compares by factors that it does not set."""
    a, b = (t.quantization for t in node.inputs())
    if a is not None and b is not None and (a.scales, a.zero_points) != (b.scales, b.zero_points):
        node.refuse("values of INT16 in two quantisations", "quantise both with one scale")


def _combine(node: Node) -> Sequence[ir.Value]:
    node.expect_operands(2)
    node.expect_types((ElementType.BOOL,) * 3)
    op = _LOGIC[node.operator.name]
    operands = [node.value(0), node.value(1)]
    shape = result_shape(node, 0, 1)
    return [map_elements(operands, shape, emit.signless(1), lambda ins: single_result(op(*ins)))]


for _name in _PREDICATES:
    operator(_name, newest_version=5)(_compare)
for _name in _LOGIC:
    operator(_name, newest_version=1)(_combine)


@operator("LOGICAL_NOT", newest_version=1)
def logical_not(node: Node) -> Sequence[ir.Value]:
    """Lower the negation."""
    node.expect_operands(1)
    node.expect_types((ElementType.BOOL,) * 2)

    def invert(ins: Sequence[ir.Value]) -> ir.Value:
        return arith.XOrIOp(ins[0], scalar.scalar_constant(1, emit.signless(1))).result

    return [map_elements([node.value(0)], node.shape(0), emit.signless(1), invert)]
