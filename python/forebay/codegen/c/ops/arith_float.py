"""Floating-point arithmetic by C's own operators; fast-math flags are ignored."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import arith

from forebay.codegen.c.function import FunctionPrinter
from forebay.codegen.c.registry import expression, printable_types
from forebay.codegen.c.syntax import expr
from forebay.codegen.c.syntax.expr import Expr
from forebay.codegen.c.syntax.types import scalar_type, vector_suffix
from forebay.ir.float_limits import is_limit

_OPERATORS = {arith.AddFOp: "+", arith.SubFOp: "-", arith.MulFOp: "*", arith.DivFOp: "/"}
_HELPERS = {arith.MinimumFOp: "minimum", arith.MaximumFOp: "maximum"}
_LIMITS = {arith.MinimumFOp: "at_most", arith.MaximumFOp: "at_least"}
_OF_LANES = {arith.AddFOp: "add", arith.MulFOp: "multiply"}
LIBRARY = {arith.MinNumFOp: "fmin", arith.MaxNumFOp: "fmax", arith.RemFOp: "fmod"}


@expression(*_OPERATORS)
def arithmetic(op: Any, f: FunctionPrinter) -> Expr:
    """Return `a + b`, or a call of the function of two vectors, `forebay_add_f32x8(a, b)`."""
    lhs, rhs = f.operands(op.lhs, op.rhs)
    if isinstance(op.result.type, ir.VectorType):
        return _of_lanes(_OF_LANES[type(op)], op.result.type, lhs, rhs)
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
    if isinstance(op.result.type, ir.VectorType):
        return _of_lanes(_LIMITS[type(op)], op.result.type, *f.operands(op.lhs, op.rhs))
    ctype = scalar_type(op.result.type)
    helpers = _LIMITS if is_limit(op) else _HELPERS
    name = f"{helpers[type(op)]}_{'f32' if ctype == 'float' else 'f64'}"
    return expr.call_expr(name, f.operands(op.lhs, op.rhs), ctype)


def _of_lanes(name: str, type_: ir.VectorType, *arguments: Expr) -> Expr:
    """Return a call of the function with this name for vectors of a type."""
    ctype = scalar_type(type_)
    return expr.call_expr(f"forebay_{name}_{vector_suffix(type_)}", arguments, ctype)


@printable_types(*_OPERATORS, *_HELPERS)
def _check_vectors(op: Any) -> str | None:
    type_ = op.result.type
    if not isinstance(type_, ir.VectorType):
        return None
    is_known = type(op) in _OF_LANES or (type(op) in _LIMITS and is_limit(op))
    return None if is_known else f"{op.operation.name} of {type_} has no C form"


@expression(*LIBRARY)
def library(op: Any, f: FunctionPrinter) -> Expr:
    """Return a call of a function of math.h."""
    return library_call(LIBRARY[type(op)], f.operands(op.lhs, op.rhs), scalar_type(op.result.type))


def library_call(name: str, arguments: tuple[Expr, ...], ctype: str) -> Expr:
    """Return `expf(x)` or, for double, `exp(x)`."""
    return expr.call_expr(f"{name}f" if ctype == "float" else name, arguments, ctype)
