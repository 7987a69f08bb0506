"""Bitwise and logical operators, and shifts."""

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
    widened,
)
from forebay.codegen.c.syntax.types import signed_ctype, unsigned_ctype


@expression(arith.AndIOp, arith.OrIOp, arith.XOrIOp)
def bits(op: Any, f: FunctionPrinter) -> Expr:
    """Return a bitwise operator, or a logical one on booleans."""
    operators = {arith.AndIOp: ("&", "&&"), arith.OrIOp: ("|", "||"), arith.XOrIOp: ("^", "!=")}
    bitwise, logical = operators[type(op)]
    width = bit_width_of(op.result)
    lhs, rhs = f.operands(op.lhs, op.rhs)
    if width > 1:
        lhs, rhs = widened((lhs, rhs), width)
        return narrowed(expr.binary_expr(lhs, bitwise, rhs, signed_ctype(max(width, 32))), width)
    if logical == "!=" and rhs.literal == 1:
        return expr.unary_expr("!", lhs, "bool")
    return expr.binary_expr(lhs, logical, rhs, "bool")


@expression(arith.ShLIOp)
def shift_left(op: arith.ShLIOp, f: FunctionPrinter) -> Expr:
    """Return `a << b`, through unsigned if a bit may be shifted out or a may be negative."""
    width = bit_width_of(op.result)
    lhs, rhs = f.operands(op.lhs, op.rhs)
    if f.ranges.is_non_negative(op.lhs) and f.ranges.fits(op.result):
        if width == 64:
            lhs = expr.cast_expr(signed_ctype(64), lhs)
        return narrowed(expr.binary_expr(lhs, "<<", rhs, signed_ctype(max(width, 32))), width)
    wide = max(width, 32)
    shifted = expr.binary_expr(as_unsigned(lhs, wide), "<<", rhs, unsigned_ctype(wide))
    return expr.cast_expr(signed_ctype(width), shifted)


@expression(arith.ShRSIOp)
def shift_right(op: Any, f: FunctionPrinter) -> Expr:
    """Return an arithmetic shift; `>>` keeps the sign on every compiler that we support."""
    width = bit_width_of(op.result)
    lhs, rhs = f.operands(op.lhs, op.rhs)
    if width == 64:
        lhs = expr.cast_expr(signed_ctype(64), lhs)
    return narrowed(expr.binary_expr(lhs, ">>", rhs, signed_ctype(max(width, 32))), width)


@expression(arith.ShRUIOp)
def shift_right_unsigned(op: arith.ShRUIOp, f: FunctionPrinter) -> Expr:
    """Return a logical shift; a value that is never negative needs no cast."""
    width = bit_width_of(op.result)
    if f.ranges.is_non_negative(op.lhs):
        return shift_right(op, f)
    lhs, rhs = f.operands(op.lhs, op.rhs)
    shifted = expr.binary_expr(as_unsigned(lhs, width), ">>", rhs, unsigned_ctype(width))
    return expr.cast_expr(signed_ctype(width), shifted)


printable_types(arith.ShLIOp, arith.ShRSIOp, arith.ShRUIOp)(refuse_boolean)
