"""Division and remainder, with every rounding of the arith dialect."""

from __future__ import annotations

from typing import Any

from mlir.dialects import arith

from forebay.codegen.c.function import FunctionPrinter
from forebay.codegen.c.registry import expression, printable_types
from forebay.codegen.c.syntax import expr
from forebay.codegen.c.syntax.expr import Expr
from forebay.codegen.c.syntax.integers import (
    as_unsigned,
    bit_width_of,
    narrowed,
    refuse_boolean,
    signed_call,
    unsigned_call,
    widened,
)
from forebay.codegen.c.syntax.types import signed_ctype, unsigned_ctype


@expression(arith.DivSIOp, arith.RemSIOp)
def divide(op: Any, f: FunctionPrinter) -> Expr:
    """Return division towards zero; x / 0 and INT_MIN / -1 are undefined in MLIR as in C."""
    width = bit_width_of(op.result)
    lhs, rhs = widened(f.operands(op.lhs, op.rhs), width)  # type: ignore[arg-type]
    operator = "/" if isinstance(op, arith.DivSIOp) else "%"
    return narrowed(expr.binary_expr(lhs, operator, rhs, signed_ctype(max(width, 32))), width)


@expression(arith.DivUIOp, arith.RemUIOp)
def divide_unsigned(op: Any, f: FunctionPrinter) -> Expr:
    """Return unsigned division, by a plain operator if no operand is negative."""
    width = bit_width_of(op.result)
    operator = "/" if isinstance(op, arith.DivUIOp) else "%"
    lhs, rhs = f.operands(op.lhs, op.rhs)
    if f.ranges.is_non_negative(op.lhs, op.rhs):
        lhs, rhs = widened((lhs, rhs), width)
        return narrowed(expr.binary_expr(lhs, operator, rhs, signed_ctype(max(width, 32))), width)
    lhs, rhs = as_unsigned(lhs, width), as_unsigned(rhs, width)
    return expr.cast_expr(
        signed_ctype(width), expr.binary_expr(lhs, operator, rhs, unsigned_ctype(width))
    )


@expression(arith.FloorDivSIOp, arith.CeilDivSIOp)
def divide_rounding(op: Any, f: FunctionPrinter) -> Expr:
    """Return a call of a helper for a rounding that no C operator has."""
    name = "div_floor" if isinstance(op, arith.FloorDivSIOp) else "div_ceil"
    return signed_call(op, name, f.operands(op.lhs, op.rhs))


@expression(arith.CeilDivUIOp)
def divide_ceil_unsigned(op: arith.CeilDivUIOp, f: FunctionPrinter) -> Expr:
    """Return unsigned division, rounded up."""
    return unsigned_call(op, "div_ceil", f.operands(op.lhs, op.rhs))


printable_types(
    arith.DivSIOp,
    arith.DivUIOp,
    arith.RemSIOp,
    arith.RemUIOp,
    arith.FloorDivSIOp,
    arith.CeilDivSIOp,
    arith.CeilDivUIOp,
)(refuse_boolean)
