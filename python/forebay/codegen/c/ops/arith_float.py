"""Floating-point arithmetic by C's own operators; fast-math flags are ignored."""

from __future__ import annotations

from typing import Any

from mlir.dialects import arith

from forebay.codegen.c.function import FunctionPrinter
from forebay.codegen.c.registry import expression
from forebay.codegen.c.syntax import expr
from forebay.codegen.c.syntax.expr import Expr
from forebay.codegen.c.syntax.types import scalar_type

_OPERATORS = {arith.AddFOp: "+", arith.SubFOp: "-", arith.MulFOp: "*", arith.DivFOp: "/"}
_HELPERS = {arith.MinimumFOp: "minimum", arith.MaximumFOp: "maximum"}
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
    """Return a minimum or maximum that propagates NaN, which no C99 function does."""
    ctype = scalar_type(op.result.type)
    name = f"{_HELPERS[type(op)]}_{'f32' if ctype == 'float' else 'f64'}"
    return expr.call_expr(name, f.operands(op.lhs, op.rhs), ctype)


@expression(*LIBRARY)
def library(op: Any, f: FunctionPrinter) -> Expr:
    """Return a call of a function of math.h."""
    return library_call(LIBRARY[type(op)], f.operands(op.lhs, op.rhs), scalar_type(op.result.type))


def library_call(name: str, arguments: tuple[Expr, ...], ctype: str) -> Expr:
    """Return `expf(x)` or, for double, `exp(x)`."""
    return expr.call_expr(f"{name}f" if ctype == "float" else name, arguments, ctype)
