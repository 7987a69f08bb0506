"""Add, Sub, Mul, Div, Mod, Max, Min, Mean and Pow of two tensors or more, broadcast.

Integer operators are one `linalg.generic` that dequantises both elements, computes, and quantises,
in float32 and in the order of ONNX's reference, so the bits are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from mlir import ir
from mlir.dialects import arith
from mlir.dialects import math as mathlib

from forebay.frontends import tosa as emit
from forebay.frontends.elementwise import map_elements, single_result
from forebay.frontends.onnx.lowering.align import Aligned, aligned
from forebay.frontends.onnx.lowering.layout import LaidOut
from forebay.frontends.onnx.lowering.node import HALF, OnnxNode
from forebay.frontends.onnx.lowering.registry import document_onnx, onnx_operator
from forebay.frontends.onnx.lowering.rescale import bounded, quantised_real, stored_zero_point
from forebay.frontends.onnx.model.graph import OnnxQuantization
from forebay.lowering.kernels import scalar

_Binary = Callable[[ir.Value, ir.Value], ir.Value]

document_onnx(
    *("Add", "Sub", "Sum", "Mul", "Div", "Max", "Mean", "Min", "Mod", "Pow"),
    *("QLinearAdd", "QLinearMul"),
    types="float32, int8, uint8, int16, int32, int64 (not Mean, Pow, Sum); "
    "between DequantizeLinear and QuantizeLinear: int8, uint8 (not Mean, Mod, Pow, Sum)",
    golden="bits; Pow: 1e-6",
)
_NARROW = ("int8", "uint8", "int16")


def _max(a: ir.Value, b: ir.Value) -> ir.Value:
    is_float = isinstance(a.type, ir.FloatType)
    return (arith.MaximumFOp if is_float else arith.MaxSIOp)(a, b).result


def _min(a: ir.Value, b: ir.Value) -> ir.Value:
    is_float = isinstance(a.type, ir.FloatType)
    return (arith.MinimumFOp if is_float else arith.MinSIOp)(a, b).result


_FUNCTIONS: dict[str, _Binary] = {
    "Add": scalar.add,
    "Sub": scalar.subtract,
    "Mul": scalar.multiply,
    "Div": scalar.divide,
    "Max": _max,
    "Min": _min,
    "Sum": scalar.add,
    "Mean": scalar.add,
    "Pow": lambda a, b: single_result(mathlib.PowFOp(a, b)),
}


@onnx_operator(*_FUNCTIONS)
def binary(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower a function of two elements; Max, Mean, Min and Sum take any number."""
    compute = _FUNCTIONS[node.operator.kind]
    if node.target is not None:
        return [_integer(node, compute, node.target)]
    if node.operator.kind == "Pow":
        if node.known(1) is not None and (node.constant(1) == 2).all():
            square = aligned(node, [0])
            return [square.result(_square(square))]
        node.expect_floats(0, 1)
    if node.operator.kind in ("Mean", "Sum"):
        node.expect_floats(*range(node.arity))
    value = _of_all(node, compute)
    if node.operator.kind == "Mean":
        value = value.with_value(_divided(value.value, node.arity))
    return [value]


@onnx_operator("Mod")
def mod(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower the remainder, with the sign of the divisor, or with `fmod` that of the dividend."""
    is_truncated = bool(node.attribute("fmod", 0))
    return [_of_all(node, _remainder if is_truncated else _floor_remainder)]


def _of_all(node: OnnxNode, compute: _Binary) -> LaidOut:
    """Build a function of the elements of all operands, one operand after the other."""
    kinds = {node.dtype(i).name for i in range(node.arity)}
    if kinds - {"float32", "int32", "int64", *_NARROW} or len(kinds) != 1:
        given = ", ".join(sorted(kinds))
        node.refuse(f"operands of types {given}", "one of float32 and integers with a sign is")
    function = _in_int32(compute, kinds.pop())
    operands = aligned(node, range(node.arity))
    element = emit.element_of(operands.values[0])
    value = operands.values[0]
    for other in operands.values[1:]:
        pair = [value, other]
        shape = np.broadcast_shapes(*(emit.static_shape_of(v) for v in pair))
        value = map_elements(pair, shape, element, lambda ins: function(ins[0], ins[1]))
    return operands.result(value)


def _in_int32(compute: _Binary, kind: str) -> _Binary:
    """Return the function of narrow integers that computes in int32 and keeps the low bits."""
    if kind not in _NARROW:
        return compute
    shift = HALF if kind == "uint8" else 0

    def narrow(a: ir.Value, b: ir.Value) -> ir.Value:
        wide = (scalar.add_constant(scalar.widen(x), shift) for x in (a, b))
        return scalar.narrow(scalar.add_constant(compute(*wide), -shift), a.type)

    return narrow


def _divided(value: ir.Value, count: int) -> ir.Value:
    f32 = ir.F32Type.get()
    divisor = float(count)
    return map_elements(
        [value],
        emit.static_shape_of(value),
        f32,
        lambda ins: scalar.divide(ins[0], scalar.scalar_constant(divisor, f32)),
    )


def _remainder(a: ir.Value, b: ir.Value) -> ir.Value:
    is_float = isinstance(a.type, ir.FloatType)
    return (arith.RemFOp if is_float else arith.RemSIOp)(a, b).result


def _floor_remainder(a: ir.Value, b: ir.Value) -> ir.Value:
    """Build the remainder, plus the divisor where their signs differ."""
    rest = _remainder(a, b)
    zero = scalar.scalar_constant(0, a.type)
    if isinstance(a.type, ir.FloatType):
        floats = arith.CmpFPredicate
        is_rest = arith.CmpFOp(floats.UNE, rest, zero).result
        negative = [arith.CmpFOp(floats.OLT, x, zero).result for x in (rest, b)]
    else:
        integers = arith.CmpIPredicate
        is_rest = arith.CmpIOp(integers.ne, rest, zero).result
        negative = [arith.CmpIOp(integers.slt, x, zero).result for x in (rest, b)]
    differ = arith.XOrIOp(*negative).result
    moves = arith.AndIOp(is_rest, differ).result
    return arith.SelectOp(moves, scalar.add(rest, b), rest).result


def _square(operands: Aligned) -> ir.Value:
    element = emit.element_of(operands.values[0])
    return map_elements(
        operands.values, operands.shape, element, lambda ins: scalar.multiply(ins[0], ins[0])
    )


def _integer(node: OnnxNode, compute: _Binary, target: OnnxQuantization) -> LaidOut:
    operands = aligned(node, [0, 1])
    scale = float(target.scale.reshape(-1)[0])
    zero_point = stored_zero_point(target)

    def element(ins: Sequence[ir.Value]) -> ir.Value:
        a, b = (_real(x, q) for x, q in zip(ins, node.operator.sources, strict=True))
        quotient = scalar.divide(compute(a, b), scalar.scalar_constant(scale, ir.F32Type.get()))
        return quantised_real(quotient, zero_point)

    value = map_elements(operands.values, operands.shape, emit.signless(8), element)
    return operands.result(bounded(node, value))


def _real(value: ir.Value, quantization: OnnxQuantization | None) -> ir.Value:
    if quantization is None:
        return value
    f32 = ir.F32Type.get()
    centred = scalar.add_constant(scalar.widen(value), -stored_zero_point(quantization))
    real = arith.SIToFPOp(f32, centred).result
    return scalar.multiply(real, scalar.scalar_constant(float(quantization.scale.flat[0]), f32))
