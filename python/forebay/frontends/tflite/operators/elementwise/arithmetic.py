"""DIV, FLOOR_DIV, FLOOR_MOD, POW and SQUARED_DIFFERENCE: one linalg.generic each.

    float32:      the operation of that name
    int32, int64: the same, which wraps
    int8:         DIV and SQUARED_DIFFERENCE, in TFLite's fixed point

TFLite stops at a division by zero of integers. A constant divisor of zero is refused here; by
another one, a device divides as its processor does.
Sources: TFLite Micro `div.cc`, `floor_div.cc`, `floor_mod.cc`, `squared_difference.cc`, TFLite
`reference/reference_ops.h` (Pow).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from mlir import ir
from mlir.dialects import arith
from mlir.dialects import math as mathlib

from forebay.frontends.elementwise import map_elements, single_result
from forebay.frontends.tflite.file.options import OperatorOptions, SchemaInt8
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.kernels.quotient import LARGEST_FACTOR, quotient
from forebay.frontends.tflite.kernels.scaled import centred, is_negative, rescaled, saturated
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.activation import activation_bounds
from forebay.frontends.tflite.lowering.broadcast import result_shape
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.quantize import Multiplier
from forebay.frontends.tflite.lowering.registry import document, operator
from forebay.lowering.kernels import scalar


class DivOptions(OperatorOptions, frozen=True):
    """DIV."""

    fused_activation_function: SchemaInt8


_F32, _I32, _I8 = ElementType.FLOAT32, ElementType.INT32, ElementType.INT8
_I16, _I64 = ElementType.INT16, ElementType.INT64
_LEFT_SHIFTS = {_I8: 7, _I16: 0}
_Scalar = Callable[[ir.Value, ir.Value], ir.Value]

document(
    "DIV",
    types="int8, int32, float32",
    limits="broadcasting",
    becomes="`linalg.generic`",
    exact="yes, where TFLite's shift is below 32 bits",
)
document(
    "FLOOR_DIV",
    "FLOOR_MOD",
    types="int8, int16, int32, int64, float32",
    limits="broadcasting",
    becomes="`linalg.generic`",
    exact="yes",
)
document(
    "POW",
    types="float32",
    limits="broadcasting",
    becomes="`linalg.generic`",
    exact="",
    golden="LiteRT",
)
document(
    "SQUARED_DIFFERENCE",
    types="int8, int16, int32, float32",
    limits="broadcasting",
    becomes="`linalg.generic`",
    exact="yes",
)


@operator("DIV", newest_version=2)
def div(node: Node) -> Sequence[ir.Value]:
    """Lower the quotient; that of int32 is rounded towards zero."""
    node.expect_operands(2)
    if node.output.type is _I8:
        return [_quantised_quotient(node)]
    bounds = activation_bounds(node, node.options(DivOptions).fused_activation_function)

    def divided(a: ir.Value, b: ir.Value) -> ir.Value:
        value = scalar.divide(a, b)
        return scalar.clamp(value, *bounds) if bounds else value

    return [_binary(node, (_F32, _I32), divided)]


@operator("FLOOR_DIV", newest_version=3)
def floor_div(node: Node) -> Sequence[ir.Value]:
    """Lower the quotient rounded towards negative infinity."""
    return [_binary(node, (_F32, _I8, _I16, _I32, _I64), _floor_divide)]


@operator("FLOOR_MOD", newest_version=2)
def floor_mod(node: Node) -> Sequence[ir.Value]:
    """Lower the rest of FLOOR_DIV, which has the sign of the divisor."""
    return [_binary(node, (_F32, _I8, _I16, _I32, _I64), _floor_rest)]


@operator("POW", newest_version=1)
def pow_(node: Node) -> Sequence[ir.Value]:
    """Lower `a` to the power of `b`."""
    return [_binary(node, (_F32,), lambda a, b: single_result(mathlib.PowFOp(a, b)))]


@operator("SQUARED_DIFFERENCE", newest_version=2)
def squared_difference(node: Node) -> Sequence[ir.Value]:
    """Lower the square of the difference."""
    node.expect_operands(2)
    if node.output.type in (_I8, _I16):
        return [_quantised_squared_difference(node)]

    def square(a: ir.Value, b: ir.Value) -> ir.Value:
        if isinstance(a.type, ir.FloatType):
            difference = arith.SubFOp(a, b).result
            return arith.MulFOp(difference, difference).result
        difference = arith.SubIOp(a, b).result
        return arith.MulIOp(difference, difference).result

    return [_binary(node, (_F32, _I32), square)]


def _binary(node: Node, types: Sequence[ElementType], compute: _Scalar) -> ir.Value:
    node.expect_operands(2)
    node.expect_types(*((t,) * 3 for t in types))
    divides = node.operator.name in ("DIV", "FLOOR_DIV", "FLOOR_MOD")
    divisor = node.input(1).data
    is_integer = divides and node.output.type is not _F32
    if is_integer and divisor is not None and (np.asarray(divisor) == 0).any():
        node.malformed("it divides by zero")
    element = emit.mlir_type_of(node.output.type)
    return map_elements(
        [node.value(0), node.value(1)],
        result_shape(node, 0, 1),
        element,
        lambda ins: compute(ins[0], ins[1]),
    )


def _floor_divide(a: ir.Value, b: ir.Value) -> ir.Value:
    if isinstance(a.type, ir.FloatType):
        return mathlib.FloorOp(arith.DivFOp(a, b).result).result
    return arith.FloorDivSIOp(a, b).result


def _floor_rest(a: ir.Value, b: ir.Value) -> ir.Value:
    """Return the truncated rest, plus the divisor where their signs differ."""
    is_float = isinstance(a.type, ir.FloatType)
    rest = arith.RemFOp(a, b).result if is_float else arith.RemSIOp(a, b).result
    zero = scalar.scalar_constant(0, a.type)
    if is_float:
        is_rest = arith.CmpFOp(arith.CmpFPredicate.UNE, rest, zero).result
        moved = arith.AddFOp(rest, b).result
    else:
        is_rest = arith.CmpIOp(arith.CmpIPredicate.ne, rest, zero).result
        moved = arith.AddIOp(rest, b).result
    differ = arith.XOrIOp(is_negative(rest), is_negative(b)).result
    return arith.SelectOp(arith.AndIOp(is_rest, differ).result, moved, rest).result


def _quantised_squared_difference(node: Node) -> ir.Value:
    node.expect_operands(2)
    node.expect_types((_I8,) * 3, (_I16,) * 3)
    kind = node.output.type
    left = _LEFT_SHIFTS[kind]
    qa, qb = (node.quantization(t) for t in node.inputs())
    target = node.quantization(node.output)
    twice = 2.0 * max(qa.scale, qb.scale)
    factors = [_below_one(node, q.scale / twice) for q in (qa, qb)]
    total = _below_one(node, twice * twice / ((1 << (2 * left)) * target.scale))

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        a, b = (
            rescaled(scalar.scaled(centred(x, q.zero_point), 1 << left), factor)
            for x, q, factor in zip(ins, (qa, qb), factors, strict=True)
        )
        difference = scalar.subtract(a, b)
        scaled = rescaled(scalar.multiply(difference, difference), total)
        return saturated(scaled, target.zero_point, kind)

    operands = [node.value(0), node.value(1)]
    return map_elements(operands, result_shape(node, 0, 1), emit.mlir_type_of(kind), compute)


def _quantised_quotient(node: Node) -> ir.Value:
    node.expect_types((_I8,) * 3)
    qa, qb = (node.quantization(t) for t in node.inputs())
    target = node.quantization(node.output)
    divisor = node.input(1).data
    if divisor is not None and (np.asarray(divisor) == qb.zero_point).any():
        node.malformed("it divides by zero")
    factor = node.multiplier(qa.scale / (qb.scale * target.scale), LARGEST_FACTOR)
    bounds = activation_bounds(node, node.options(DivOptions).fused_activation_function)

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        a, b = (centred(x, q.zero_point) for x, q in zip(ins, (qa, qb), strict=True))
        value = saturated(quotient(a, b, factor), target.zero_point, _I8)
        return scalar.clamp(value, *bounds) if bounds else value

    operands = [node.value(0), node.value(1)]
    return map_elements(operands, result_shape(node, 0, 1), emit.mlir_type_of(_I8), compute)


def _below_one(node: Node, real: float) -> Multiplier:
    found = node.multiplier(real)
    if found.exponent > 0:
        node.refuse(f"a rescaling by {real:g}, which TFLite takes below 1 only", "check the scales")
    return found
