"""Floating-point arithmetic by C's own operators; fast-math flags are ignored."""

from __future__ import annotations

import math
from typing import Any

from mlir import ir
from mlir.dialects import arith

from forebay.codegen.c.function import FunctionPrinter
from forebay.codegen.c.registry import expression
from forebay.codegen.c.syntax import expr
from forebay.codegen.c.syntax.expr import Expr
from forebay.codegen.c.syntax.types import scalar_type
from forebay.ir.nested import defining_op

_OPERATORS = {arith.AddFOp: "+", arith.SubFOp: "-", arith.MulFOp: "*", arith.DivFOp: "/"}
_HELPERS = {arith.MinimumFOp: "minimum", arith.MaximumFOp: "maximum"}
_LIMITS = {arith.MinimumFOp: "at_most", arith.MaximumFOp: "at_least"}
LIBRARY = {arith.MinNumFOp: "fmin", arith.MaxNumFOp: "fmax", arith.RemFOp: "fmod"}


@expression(*_OPERATORS)
def arithmetic(op: Any, f: FunctionPrinter) -> Expr:
    """Return `a + b`."""
    lhs, rhs = f.operands(op.lhs, op.rhs)
    return expr.binary_expr(lhs, _OPERATORS[type(op)], rhs, scalar_type(op.result.type))


@expression(arith.NegFOp)
def negate(op: arith.NegFOp, f: FunctionPrinter) -> Expr:
    """Return `-x`."""
    return expr.unary_expr("-", f.operand(op.operand), scalar_type(op.result.type))


@expression(*_HELPERS)
def minimum_maximum(op: Any, f: FunctionPrinter) -> Expr:
    """Return a minimum or maximum that propagates NaN, which no C99 function does.

    One with a constant is a comparison, `at_least_f32(x, 0.0f)`.
    """
    ctype = scalar_type(op.result.type)
    helpers = _LIMITS if _is_limit(op) else _HELPERS
    name = f"{helpers[type(op)]}_{'f32' if ctype == 'float' else 'f64'}"
    return expr.call_expr(name, f.operands(op.lhs, op.rhs), ctype)


def _is_limit(op: Any) -> bool:
    """Return whether a comparison tells the result: the limit, also of a zero, or the value.

    Of two zeros the minimum is -0.0 and the maximum is 0.0, so that must be the limit's sign.
    """
    limit = defining_op(op.rhs)
    if not isinstance(limit, arith.ConstantOp):
        return False
    value = ir.FloatAttr(limit.value).value
    is_negative = math.copysign(1.0, value) < 0
    return not math.isnan(value) and (value != 0 or is_negative == isinstance(op, arith.MinimumFOp))


@expression(*LIBRARY)
def library(op: Any, f: FunctionPrinter) -> Expr:
    """Return a call of a function of math.h."""
    return library_call(LIBRARY[type(op)], f.operands(op.lhs, op.rhs), scalar_type(op.result.type))


def library_call(name: str, arguments: tuple[Expr, ...], ctype: str) -> Expr:
    """Return `expf(x)` or, for double, `exp(x)`."""
    return expr.call_expr(f"{name}f" if ctype == "float" else name, arguments, ctype)
