"""Functions of one float32 tensor, and of integers where TFLite Micro has them.

    EXP, LOG, SIN, COS, CEIL, FLOOR, NEG: the TOSA op of that name
    SQRT, RSQRT, SQUARE, ROUND, ELU, GELU: one linalg.generic, because TOSA has no exact form
    ELU, EXP, GELU, LOG, SQRT of int8: a table of the 256 results, as TFLite makes it

RSQRT divides 1 by the root, as TFLite does, with two roundings.
Sources: TFLite Micro `elementwise.cc`, `round.cc`, `elu.cc`, TFLite `reference/gelu.h`,
`internal/common.h` (`LUTPopulate`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from mlir import ir
from mlir.dialects import arith, tosa
from mlir.dialects import math as mathlib
from numpy.typing import NDArray

from forebay.frontends.elementwise import map_elements, single_result
from forebay.frontends.tflite.file.options import OperatorOptions
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.kernels.inverse_root import scaled_by_inverse_root
from forebay.frontends.tflite.kernels.scaled import centred, rescaled, saturated
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.quantize import Multiplier
from forebay.frontends.tflite.lowering.registry import document, operator
from forebay.lowering.kernels import scalar


class GeluOptions(OperatorOptions, frozen=True):
    """GELU."""

    approximate: bool


_RSQRT_BITS = 20
_LARGEST_EXPONENT = 700.0
"""Its power is far above every float32."""
_TOSA: dict[str, Callable[[ir.Type, ir.Value], ir.OpView]] = {
    "EXP": tosa.ExpOp,
    "LOG": tosa.LogOp,
    "SIN": tosa.SinOp,
    "COS": tosa.CosOp,
    "CEIL": tosa.CeilOp,
    "FLOOR": tosa.FloorOp,
}

document(
    "CEIL",
    "COS",
    "ELU",
    "EXP",
    "FLOOR",
    "GELU",
    "LOG",
    "NEG",
    "ROUND",
    "RSQRT",
    "SIN",
    "SQRT",
    "SQUARE",
    types="float32; ELU, EXP, GELU, LOG, SQRT: int8; RSQRT: int8, int16",
    becomes="the TOSA op; ELU, GELU, ROUND, RSQRT, SQRT, SQUARE: `linalg.generic`; ELU, EXP, "
    "GELU, LOG, SQRT of int8: `table`",
    exact="integers; CEIL, FLOOR, NEG, ROUND, RSQRT, SQRT, SQUARE",
    golden="TFLite Micro; GELU, and EXP, LOG, SQRT of int8: LiteRT, which has no SQRT below 0",
)


def _operand(node: Node) -> ir.Value:
    node.expect_operands(1)
    node.expect_types((ElementType.FLOAT32,) * 2)
    return node.value(0)


def _map(value: ir.Value, compute: Callable[[ir.Value], ir.Value]) -> Sequence[ir.Value]:
    shape = emit.static_shape_of(value)
    return [map_elements([value], shape, emit.element_of(value), lambda ins: compute(ins[0]))]


def _named(node: Node) -> Sequence[ir.Value]:
    node.expect_operands(1)
    table = _TABLES.get(node.operator.name)
    if table is not None and node.output.type is ElementType.INT8:
        return [_table(node, table)]
    value = _operand(node)
    return [_TOSA[node.operator.name](value.type, value).operation.results[0]]


def _exponential(x: float) -> float:
    return math.exp(min(x, _LARGEST_EXPONENT))


def _logarithm(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf


_TABLES = {"EXP": _exponential, "LOG": _logarithm}

for _name in _TOSA:
    operator(_name, newest_version=2)(_named)


@operator("NEG", newest_version=1)
def neg(node: Node) -> Sequence[ir.Value]:
    """Lower `-x`."""
    return _map(_operand(node), lambda x: single_result(arith.NegFOp(x)))


@operator("SQRT", newest_version=2)
def sqrt(node: Node) -> Sequence[ir.Value]:
    """Lower the square root; that of int8 is rounded towards zero, as in LiteRT."""
    node.expect_operands(1)
    if node.output.type is ElementType.INT8:
        return [_table(node, lambda x: math.sqrt(max(x, 0.0)), np.trunc)]
    return _map(_operand(node), lambda x: single_result(mathlib.SqrtOp(x)))


@operator("RSQRT", newest_version=3)
def rsqrt(node: Node) -> Sequence[ir.Value]:
    """Lower `1 / sqrt(x)`."""
    node.expect_operands(1)
    if node.output.type in (ElementType.INT8, ElementType.INT16):
        return [_quantised_rsqrt(node)]
    return _map(_operand(node), lambda x: scalar.divide(_f32(1.0), mathlib.SqrtOp(x).result))


def _quantised_rsqrt(node: Node) -> ir.Value:
    """Build the operator on integers; 0 gives the largest, and TFLite stops at what is below."""
    kind = node.output.type
    node.expect_types((ElementType.INT8,) * 2, (ElementType.INT16,) * 2)
    source, target = node.quantization(node.input(0)), node.quantization(node.output)
    real = 1.0 / (math.sqrt(source.scale) * target.scale)
    factor = node.multiplier(real)
    factor = Multiplier(factor.significand, factor.exponent - _RSQRT_BITS)
    node.expect_reach(factor, 1 << _RSQRT_BITS, real)

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        value = centred(ins[0], source.zero_point)
        one = scalar.scalar_constant(1, scalar.i32())
        root = rescaled(scaled_by_inverse_root(one, value, _RSQRT_BITS), factor)
        result = saturated(root, target.zero_point, kind)
        zero = scalar.scalar_constant(0, scalar.i32())
        is_positive = arith.CmpIOp(arith.CmpIPredicate.sgt, value, zero).result
        most = scalar.scalar_constant(kind.range[1], emit.mlir_type_of(kind))
        return arith.SelectOp(is_positive, result, most).result

    return map_elements([node.value(0)], node.shape(0), emit.mlir_type_of(kind), compute)


@operator("SQUARE", newest_version=1)
def square(node: Node) -> Sequence[ir.Value]:
    """Lower `x * x`."""
    return _map(_operand(node), lambda x: scalar.multiply(x, x))


@operator("ROUND", newest_version=1)
def round_(node: Node) -> Sequence[ir.Value]:
    """Lower rounding to the nearest integer, halves to even."""
    return _map(_operand(node), lambda x: single_result(mathlib.RoundEvenOp(x)))


@operator("ELU", newest_version=1)
def elu(node: Node) -> Sequence[ir.Value]:
    """Lower `x` where it is not negative, else `exp(x) - 1`; int8 by a table."""
    node.expect_operands(1)
    if node.output.type is ElementType.INT8:
        return [_table(node, lambda x: math.expm1(x) if x < 0 else x)]

    def compute(x: ir.Value) -> ir.Value:
        negative = arith.CmpFOp(arith.CmpFPredicate.OLT, x, _f32(0.0)).result
        return arith.SelectOp(negative, mathlib.ExpM1Op(x).result, x).result

    return _map(_operand(node), compute)


def _nearest(reals: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the nearest integers, halves away from zero."""
    return np.copysign(np.floor(np.abs(reals) + np.float32(0.5)), reals)


def _table(
    node: Node,
    function: Callable[[float], float],
    rounding: Callable[[NDArray[np.float32]], NDArray[np.float32]] = _nearest,
) -> ir.Value:
    """Build the table of the function of int8, in float32."""
    node.expect_types((ElementType.INT8,) * 2)
    source, target = node.quantization(node.input(0)), node.quantization(node.output)
    stored = np.arange(-128, 128)
    x = np.float32(source.scale) * (stored - source.zero_point).astype(np.float32)
    with np.errstate(over="ignore"):
        reals = np.array([function(v) for v in x.tolist()]).astype(np.float32)
        result = reals * (np.float32(1) / np.float32(target.scale))
    limited = np.clip(rounding(result).astype(np.float64) + target.zero_point, -128, 127)
    return emit.tosa_table(node.value(0), [int(x) for x in limited])


@operator("GELU", newest_version=2)
def gelu(node: Node) -> Sequence[ir.Value]:
    """Lower `x * P(X <= x)` of a normal X, exactly or with the hyperbolic tangent."""
    is_approximate = node.options(GeluOptions).approximate
    if node.output.type is ElementType.INT8:
        node.expect_operands(1)
        return [_table(node, _approximate_gelu if is_approximate else _exact_gelu)]
    return _map(_operand(node), _gelu_by_tanh if is_approximate else _gelu_by_erf)


def _exact_gelu(x: float) -> float:
    return 0.5 * x * math.erfc(-x * math.sqrt(0.5))


def _approximate_gelu(x: float) -> float:
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def _gelu_by_erf(x: ir.Value) -> ir.Value:
    erf = mathlib.ErfOp(scalar.multiply(x, _f32(math.sqrt(0.5)))).result
    return scalar.multiply(_half(x), scalar.add(_f32(1.0), erf))


def _gelu_by_tanh(x: ir.Value) -> ir.Value:
    cube = scalar.multiply(scalar.multiply(x, x), x)
    sum_ = scalar.add(x, scalar.multiply(_f32(0.044715), cube))
    tanh = mathlib.TanhOp(scalar.multiply(_f32(math.sqrt(2.0 / math.pi)), sum_)).result
    return scalar.multiply(_half(x), scalar.add(_f32(1.0), tanh))


def _half(x: ir.Value) -> ir.Value:
    return scalar.multiply(_f32(0.5), x)


def _f32(value: float) -> ir.Value:
    return scalar.scalar_constant(value, ir.F32Type.get())
