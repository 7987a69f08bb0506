"""The math dialect, by functions of the C library."""

from __future__ import annotations

from typing import Any

from mlir.dialects import math

from forebay.codegen.c.function import FunctionPrinter
from forebay.codegen.c.ops.arith_float import library_call
from forebay.codegen.c.registry import expression, printable_check
from forebay.codegen.c.syntax import expr
from forebay.codegen.c.syntax.expr import Expr
from forebay.codegen.c.syntax.integers import bit_width_of, signed_call
from forebay.codegen.c.syntax.types import scalar_type

UNARY = {
    math.AbsFOp: "fabs",
    math.AcosOp: "acos",
    math.AcoshOp: "acosh",
    math.AsinOp: "asin",
    math.AsinhOp: "asinh",
    math.AtanOp: "atan",
    math.AtanhOp: "atanh",
    math.CeilOp: "ceil",
    math.CosOp: "cos",
    math.CoshOp: "cosh",
    math.ErfOp: "erf",
    math.Exp2Op: "exp2",
    math.ExpM1Op: "expm1",
    math.ExpOp: "exp",
    math.FloorOp: "floor",
    math.Log10Op: "log10",
    math.Log1pOp: "log1p",
    math.Log2Op: "log2",
    math.LogOp: "log",
    math.RoundEvenOp: "rint",  # in the default rounding mode
    math.RoundOp: "round",
    math.SinOp: "sin",
    math.SinhOp: "sinh",
    math.SqrtOp: "sqrt",
    math.TanOp: "tan",
    math.TanhOp: "tanh",
    math.TruncOp: "trunc",
}


@expression(*UNARY)
def function(op: Any, f: FunctionPrinter) -> Expr:
    """Return `expf(x)`."""
    return library_call(UNARY[type(op)], f.operands(op.operand), scalar_type(op.result.type))


@expression(math.PowFOp)
def power(op: math.PowFOp, f: FunctionPrinter) -> Expr:
    """Return `powf(x, y)`."""
    return library_call("pow", f.operands(op.lhs, op.rhs), scalar_type(op.result.type))


@expression(math.FmaOp)
def fused_multiply_add(op: math.FmaOp, f: FunctionPrinter) -> Expr:
    """Return `fmaf(a, b, c)`, which rounds once."""
    return library_call("fma", f.operands(op.a, op.b, op.c), scalar_type(op.result.type))


@expression(math.CopySignOp)
def copy_sign(op: math.CopySignOp, f: FunctionPrinter) -> Expr:
    """Return `copysignf(x, y)`."""
    return library_call("copysign", f.operands(op.lhs, op.rhs), scalar_type(op.result.type))


@expression(math.RsqrtOp)
def reciprocal_root(op: math.RsqrtOp, f: FunctionPrinter) -> Expr:
    """Return 1 / sqrt(x)."""
    ctype = scalar_type(op.result.type)
    name = "rsqrt_f32" if ctype == "float" else "rsqrt_f64"
    return expr.call_expr(name, f.operands(op.operand), ctype)


@expression(math.AbsIOp)
def absolute(op: math.AbsIOp, f: FunctionPrinter) -> Expr:
    """Return |x|; for the lowest value of the type, that value."""
    return signed_call(op, "abs", f.operands(op.operand))


@expression(math.CountLeadingZerosOp)
def count_leading_zeros(op: math.CountLeadingZerosOp, f: FunctionPrinter) -> Expr:
    """Return the number of leading zeros of 32 or 64 bits."""
    return signed_call(op, "leading_zeros", f.operands(op.operand))


@printable_check(math.CountLeadingZerosOp)
def _check_width(op: math.CountLeadingZerosOp) -> str | None:
    width = bit_width_of(op.result)
    return None if width >= 32 else f"leading zeros of i{width} have no C form; extend it first"


@printable_check(math.AbsIOp)
def _check_abs(op: math.AbsIOp) -> str | None:
    return "|x| of a boolean has no C form" if bit_width_of(op.result) == 1 else None
