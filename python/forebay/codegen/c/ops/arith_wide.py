"""Operators with two results: a product in two halves, and a sum with its carry."""

from __future__ import annotations

from typing import Any

from mlir.dialects import arith

from forebay.codegen.c.function import FunctionPrinter
from forebay.codegen.c.registry import printable_types, statement
from forebay.codegen.c.syntax import expr
from forebay.codegen.c.syntax.expr import Expr
from forebay.codegen.c.syntax.integers import as_unsigned, bit_width_of
from forebay.codegen.c.syntax.types import signed_ctype, unsigned_ctype


@statement(arith.MulSIExtendedOp, arith.MulUIExtendedOp)
def multiply_extended(op: Any, f: FunctionPrinter) -> None:
    """Print `const int64_t product = (int64_t)a * b;`, then its halves."""
    width = bit_width_of(op.low)
    ctype = signed_ctype(64) if isinstance(op, arith.MulSIExtendedOp) else unsigned_ctype(64)
    lhs, rhs = f.operands(op.lhs, op.rhs)
    if ctype == unsigned_ctype(64):
        lhs, rhs = as_unsigned(lhs, width), as_unsigned(rhs, width)
    product = f.declare(
        "product", ctype, expr.binary_expr(expr.cast_expr(ctype, lhs), "*", rhs, ctype)
    )
    high = expr.binary_expr(product, ">>", expr.integer_expr(width), ctype)
    if f.uses.is_used(op.low):
        f.name_value(op.low, expr.cast_expr(signed_ctype(width), product))
    if f.uses.is_used(op.high):
        f.name_value(op.high, expr.cast_expr(signed_ctype(width), high))


@statement(arith.AddUIExtendedOp)
def add_extended(op: arith.AddUIExtendedOp, f: FunctionPrinter) -> None:
    """Print the wrapped sum and its carry, which is set if the sum is less than an operand."""
    width = bit_width_of(op.sum)
    lhs, rhs = (_unsigned(f, operand, width) for operand in (op.lhs, op.rhs))
    added = expr.cast_expr(
        unsigned_ctype(width), expr.binary_expr(lhs, "+", rhs, unsigned_ctype(max(width, 32)))
    )
    total = f.declare("sum", unsigned_ctype(width), added)
    if f.uses.is_used(op.sum):
        f.name_value(op.sum, expr.cast_expr(signed_ctype(width), total))
    if f.uses.is_used(op.overflow):
        f.name_value(op.overflow, expr.binary_expr(total, "<", lhs, "bool"))


def _unsigned(f: FunctionPrinter, operand: Any, width: int) -> Expr:
    found = f.operand(operand)
    return f.declare("addend", unsigned_ctype(width), as_unsigned(found, width))


@printable_types(arith.MulSIExtendedOp, arith.MulUIExtendedOp)
def _check_product(op: Any) -> str | None:
    width = bit_width_of(op.low)
    return None if width in (8, 16, 32) else f"the whole product of i{width} has no C type"


@printable_types(arith.AddUIExtendedOp)
def _check_sum(op: arith.AddUIExtendedOp) -> str | None:
    return "a sum of booleans has no carry in C" if bit_width_of(op.sum) == 1 else None
