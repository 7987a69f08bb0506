"""BitShift, BitwiseAnd, BitwiseNot, BitwiseOr, BitwiseXor: functions of the bits of integers.

A uint8 is stored as the int8 that is 128 lower, whose bits differ in the highest one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir
from mlir.dialects import arith

from forebay.frontends import tosa as emit
from forebay.frontends.elementwise import map_elements, single_result
from forebay.frontends.onnx.lowering.align import aligned
from forebay.frontends.onnx.lowering.layout import LaidOut
from forebay.frontends.onnx.lowering.node import HALF, OnnxNode
from forebay.frontends.onnx.lowering.registry import document_onnx, onnx_operator
from forebay.lowering.kernels import scalar

document_onnx(
    *("BitwiseAnd", "BitwiseNot", "BitwiseOr", "BitwiseXor"),
    types="int8, uint8, int16, int32, int64",
    golden="bits",
)
document_onnx("BitShift", types="uint8", limits="a shift by less than 8", golden="bits")

_TYPES = ("int8", "uint8", "int16", "int32", "int64")
_Bits = Callable[[Sequence[ir.Value]], ir.Value]


def _inverted(ins: Sequence[ir.Value]) -> ir.Value:
    return arith.XOrIOp(ins[0], scalar.scalar_constant(-1, ins[0].type)).result


_FUNCTIONS: dict[str, _Bits] = {
    "BitwiseAnd": lambda ins: single_result(arith.AndIOp(*ins)),
    "BitwiseNot": _inverted,
    "BitwiseOr": lambda ins: single_result(arith.OrIOp(*ins)),
    "BitwiseXor": lambda ins: single_result(arith.XOrIOp(*ins)),
}


@onnx_operator(*_FUNCTIONS)
def bitwise(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower a function of each bit."""
    return [_of_bits(node, _TYPES, _FUNCTIONS[node.operator.kind])]


@onnx_operator("BitShift")
def bit_shift(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower a shift to the left or to the right, which brings zeros."""
    shift = arith.ShLIOp if node.attribute("direction", "LEFT") == "LEFT" else arith.ShRUIOp

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        return shift(*ins).result

    return [_of_bits(node, ("uint8",), compute)]


def _of_bits(node: OnnxNode, types: Sequence[str], compute: _Bits) -> LaidOut:
    kind = node.dtype(0).name
    if kind not in types:
        node.refuse(f"operands of {kind}", f"{', '.join(types)} are supported")
    operands = aligned(node, range(node.arity))
    element = emit.element_of(operands.values[0])

    def bits(value: ir.Value) -> ir.Value:
        if kind != "uint8":
            return value
        return arith.XOrIOp(value, scalar.scalar_constant(-HALF, element)).result

    return operands.result(
        map_elements(
            operands.values,
            operands.shape,
            element,
            lambda ins: bits(compute([bits(x) for x in ins])),
        )
    )
