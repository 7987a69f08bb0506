"""MLIR's signless integers in C: casts to unsigned, to a wider type and to a narrower type."""

from __future__ import annotations

from typing import Any

from mlir.ir import Value

from forebay.codegen.c.syntax import expr
from forebay.codegen.c.syntax.expr import Expr
from forebay.codegen.c.syntax.types import integer_width, signed_ctype, unsigned_ctype


def bit_width_of(value: Value) -> int:
    """Return the width of an integer value."""
    width = integer_width(value.type)
    if width is None:
        raise TypeError(f"{value.type} is no integer")
    return width


def as_unsigned(value: Expr, width: int) -> Expr:
    """Return the value cast to unsigned; a literal is written as an unsigned literal."""
    if value.literal is not None and 0 <= value.literal < 2**31:
        text = f"{value.literal}u" if width < 64 else f"UINT64_C({value.literal})"
        return expr.literal_expr(text, unsigned_ctype(width), value.literal)
    return expr.cast_expr(unsigned_ctype(width), value)


def narrowed(value: Expr, width: int) -> Expr:
    """Return the value cast back to a narrow type after C's promotion to int."""
    return expr.cast_expr(signed_ctype(width), value) if width < 32 else value


def widened(values: tuple[Expr, Expr], width: int) -> tuple[Expr, Expr]:
    """Return the operands, the first cast to 64 bits if C would compute in fewer bits."""
    if width == 64 and all(value.ctype != signed_ctype(64) for value in values):
        return expr.cast_expr(signed_ctype(64), values[0]), values[1]
    return values


def signed_call(op: Any, name: str, operands: tuple[Expr, ...]) -> Expr:
    """Return a call of a helper that exists for 32 and 64 bits."""
    width = bit_width_of(op.results[0])
    wide = max(width, 32)
    found = expr.call_expr(f"{name}_i{wide}", operands, signed_ctype(wide))
    return narrowed(found, width)


def unsigned_call(op: Any, name: str, operands: tuple[Expr, ...]) -> Expr:
    """Return a call of a helper on values read as unsigned."""
    width = bit_width_of(op.results[0])
    wide = max(width, 32)
    arguments = tuple(
        expr.cast_expr(unsigned_ctype(wide), as_unsigned(operand, width)) for operand in operands
    )
    found = expr.call_expr(f"{name}_u{wide}", arguments, unsigned_ctype(wide))
    return expr.cast_expr(signed_ctype(width), found)


def refuse_boolean(op: Any) -> str | None:
    """Return why an op has no C form if its result is an i1, else None."""
    if bit_width_of(op.results[0]) == 1:
        return f"'{op.operation.name}' on i1 has no C form; use and, or, xor or select"
    return None
