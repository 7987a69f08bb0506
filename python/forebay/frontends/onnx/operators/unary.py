"""Functions of one element, of float32: the TOSA op, or one `linalg.generic`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from mlir import ir
from mlir.dialects import arith, tosa
from mlir.dialects import math as mathlib

from forebay.frontends import tosa as emit
from forebay.frontends.elementwise import map_elements, single_result
from forebay.frontends.onnx.lowering.align import aligned
from forebay.frontends.onnx.lowering.layout import LaidOut
from forebay.frontends.onnx.lowering.node import OnnxNode
from forebay.frontends.onnx.lowering.registry import document_onnx, onnx_operator
from forebay.lowering.kernels import scalar

_Unary = Callable[[ir.Value], ir.Value]

document_onnx(
    *("Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Cosh", "Sinh", "Tan"),
    *("Abs", "Ceil", "Clip", "Cos", "Elu", "Erf", "Exp", "Floor", "Gelu", "HardSigmoid"),
    *("HardSwish", "LeakyRelu", "Log", "Neg", "PRelu", "Reciprocal", "Relu", "Round", "Sigmoid"),
    *("Sin", "Sign", "Softplus", "Sqrt", "Tanh", "QLinearSigmoid", "QLinearLeakyRelu"),
    types="float32; between DequantizeLinear and QuantizeLinear: int8, uint8, by a table",
    limits="PRelu: float32 only, if it has several slopes",
    golden="1e-6; tables: bits",
)

_TOSA: dict[str, Callable[[ir.Type, ir.Value], ir.OpView]] = {
    "Abs": tosa.AbsOp,
    "Ceil": tosa.CeilOp,
    "Cos": tosa.CosOp,
    "Erf": tosa.ErfOp,
    "Exp": tosa.ExpOp,
    "Floor": tosa.FloorOp,
    "Log": tosa.LogOp,
    "Sigmoid": tosa.SigmoidOp,
    "Sin": tosa.SinOp,
    "Tanh": tosa.TanhOp,
}


@onnx_operator(*_TOSA)
def named(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower to the TOSA op of that name."""
    node.expect_floats(0)
    operand = node.operand(0)
    op = _TOSA[node.operator.kind](operand.value.type, operand.value)
    return [operand.with_value(op.operation.results[0])]


_MATH: dict[str, Callable[[ir.Value], ir.OpView]] = {
    "Acos": mathlib.AcosOp,
    "Acosh": mathlib.AcoshOp,
    "Asin": mathlib.AsinOp,
    "Asinh": mathlib.AsinhOp,
    "Atan": mathlib.AtanOp,
    "Atanh": mathlib.AtanhOp,
    "Cosh": mathlib.CoshOp,
    "Sinh": mathlib.SinhOp,
    "Tan": mathlib.TanOp,
}


@onnx_operator(*_MATH)
def math_function(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower to the function of C's library of that name."""
    return _mapped(node, lambda x: single_result(_MATH[node.operator.kind](x)))


@onnx_operator("Relu")
def relu(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower the larger of x and 0."""
    node.expect_floats(0)
    operand = node.operand(0)
    return [operand.with_value(emit.clamp_float(operand.value, 0.0, math.inf))]


@onnx_operator("Clip")
def clip(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower limits; those that are computed are read for each element."""
    given = [i for i in (1, 2) if node.has(i)]
    if not node.is_float() or any(node.known(i) is None for i in given):
        return [_clipped_by_values(node, given)]
    node.expect_floats(1, 2)
    limits = [
        float(node.constant(i).reshape(-1)[0]) if node.has(i) else other
        for i, other in ((1, -math.inf), (2, math.inf))
    ]
    if limits[0] > limits[1]:
        return [_clipped_by_values(node, given)]
    operand = node.operand(0)
    return [operand.with_value(emit.clamp_float(operand.value, *limits))]


def _clipped_by_values(node: OnnxNode, numbers: Sequence[int]) -> LaidOut:
    """Build the larger of x and operand 1, and then the smaller of that and operand 2."""
    operand = node.operand(0)
    limits = [emit.tosa_reshape(node.value(i), (1,)) for i in numbers]

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        value, *given = ins
        for i, limit in zip(numbers, given, strict=True):
            value = (scalar.at_least if i == 1 else scalar.at_most)(value, limit)
        return value

    shape = emit.static_shape_of(operand.value)
    values = [operand.value, *limits]
    element = emit.element_of(operand.value)
    return operand.with_value(map_elements(values, shape, element, compute))


def _mapped(node: OnnxNode, compute: _Unary) -> Sequence[LaidOut]:
    node.expect_floats(0)
    operand = node.operand(0)
    shape = emit.static_shape_of(operand.value)
    value = map_elements([operand.value], shape, ir.F32Type.get(), lambda ins: compute(ins[0]))
    return [operand.with_value(value)]


@onnx_operator("Neg")
def neg(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower `-x`."""
    return _mapped(node, lambda x: single_result(arith.NegFOp(x)))


@onnx_operator("Sqrt")
def sqrt(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower the square root."""
    return _mapped(node, lambda x: single_result(mathlib.SqrtOp(x)))


@onnx_operator("Reciprocal")
def reciprocal(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower `1 / x`."""
    return _mapped(node, lambda x: scalar.divide(_f32(1.0), x))


@onnx_operator("Sign")
def sign(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower -1, 0 or 1."""

    def compute(x: ir.Value) -> ir.Value:
        above, below = (
            arith.UIToFPOp(x.type, arith.CmpFOp(predicate, x, _f32(0.0)).result).result
            for predicate in (arith.CmpFPredicate.OGT, arith.CmpFPredicate.OLT)
        )
        return scalar.subtract(above, below)

    return _mapped(node, compute)


@onnx_operator("Softplus")
def softplus(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower `log(exp(x) + 1)`, as the larger of x and 0, and what is left, so nothing overflows."""

    def compute(x: ir.Value) -> ir.Value:
        magnitude = mathlib.AbsFOp(x).result
        rest = mathlib.Log1pOp(mathlib.ExpOp(arith.NegFOp(magnitude).result).result).result
        return scalar.add(arith.MaximumFOp(x, _f32(0.0)).result, rest)

    return _mapped(node, compute)


@onnx_operator("Round")
def round_(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower rounding to the nearest integer, halves to even."""
    return _mapped(node, lambda x: single_result(mathlib.RoundEvenOp(x)))


@onnx_operator("LeakyRelu")
def leaky_relu(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower `x`, or `alpha * x` where it is negative."""
    alpha = float(node.attribute("alpha", 0.01))
    return _mapped(node, lambda x: _where_negative(x, scalar.multiply(x, _f32(alpha)), x))


@onnx_operator("PRelu")
def prelu(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower `x`, or `slope * x` where it is negative."""
    node.expect_floats(0, 1)
    operands = aligned(node, [0, 1])
    value = map_elements(
        operands.values,
        operands.shape,
        ir.F32Type.get(),
        lambda ins: _where_negative(ins[0], scalar.multiply(ins[0], ins[1]), ins[0]),
    )
    return [operands.result(value)]


@onnx_operator("Elu")
def elu(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower `x`, or `alpha * (exp(x) - 1)` where it is negative."""
    alpha = float(node.attribute("alpha", 1.0))

    def compute(x: ir.Value) -> ir.Value:
        return _where_negative(x, scalar.multiply(_f32(alpha), mathlib.ExpM1Op(x).result), x)

    return _mapped(node, compute)


@onnx_operator("HardSigmoid")
def hard_sigmoid(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower `alpha * x + beta` within 0 and 1."""
    alpha = float(node.attribute("alpha", 0.2))
    beta = float(node.attribute("beta", 0.5))
    return _mapped(node, lambda x: _hard_sigmoid(x, alpha, beta))


@onnx_operator("HardSwish")
def hard_swish(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower `x * HardSigmoid(x)` with alpha of 1/6 and beta of 1/2."""
    return _mapped(node, lambda x: scalar.multiply(x, _hard_sigmoid(x, 1.0 / 6.0, 0.5)))


@onnx_operator("Gelu")
def gelu(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower `x * P(X <= x)` of a normal X, exactly or with the hyperbolic tangent."""
    by_tanh = node.attribute("approximate", "none") == "tanh"
    return _mapped(node, _gelu_by_tanh if by_tanh else _gelu_by_erf)


def _gelu_by_erf(x: ir.Value) -> ir.Value:
    erf = mathlib.ErfOp(scalar.multiply(x, _f32(math.sqrt(0.5)))).result
    half = scalar.multiply(_f32(0.5), x)
    return scalar.multiply(half, scalar.add(_f32(1.0), erf))


def _gelu_by_tanh(x: ir.Value) -> ir.Value:
    cube = scalar.multiply(scalar.multiply(x, x), x)
    sum_ = scalar.add(x, scalar.multiply(_f32(0.044715), cube))
    tanh = mathlib.TanhOp(scalar.multiply(_f32(math.sqrt(2.0 / math.pi)), sum_)).result
    return scalar.multiply(scalar.multiply(_f32(0.5), x), scalar.add(_f32(1.0), tanh))


def _hard_sigmoid(x: ir.Value, alpha: float, beta: float) -> ir.Value:
    line = scalar.add(scalar.multiply(x, _f32(alpha)), _f32(beta))
    return arith.MinimumFOp(arith.MaximumFOp(line, _f32(0.0)).result, _f32(1.0)).result


def _where_negative(x: ir.Value, then: ir.Value, other: ir.Value) -> ir.Value:
    negative = arith.CmpFOp(arith.CmpFPredicate.OLT, x, _f32(0.0)).result
    return arith.SelectOp(negative, then, other).result


def _f32(value: float) -> ir.Value:
    return scalar.scalar_constant(float(np.float32(value)), ir.F32Type.get())
