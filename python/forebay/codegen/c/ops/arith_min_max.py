"""Minimum, maximum and clamp of integers."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import arith

from forebay.codegen.c.function import FunctionPrinter
from forebay.codegen.c.registry import expression, printable_types
from forebay.codegen.c.syntax import expr
from forebay.codegen.c.syntax.expr import Expr
from forebay.codegen.c.syntax.integers import (
    bit_width_of,
    refuse_boolean,
    signed_call,
    unsigned_call,
)
from forebay.codegen.c.syntax.types import is_elements, scalar_type, vector_suffix
from forebay.ir.memory.ranges_arith import Range

OFFSET = 128
"""What is added to a value of 8 bits so that it has no sign."""
_I8, _WIDTH = (-128, 127), 32
"""The range of 8 bits, to which a function of the instruction set limits a value of 32 bits."""
_LIMITS = (arith.MinSIOp, arith.MaxSIOp)


@expression(arith.MinSIOp, arith.MaxSIOp)
def min_max(op: Any, f: FunctionPrinter) -> Expr:
    """Return a signed minimum or maximum; one of each with literal bounds becomes a clamp.

    If the operand's expression includes the offset of limits without sign, so do the bounds.
    Vectors have functions, such as `forebay_max_i8x16(a, b)`.
    """
    if isinstance(op.result.type, ir.VectorType):
        name = "min" if isinstance(op, arith.MinSIOp) else "max"
        suffix = vector_suffix(op.result.type)
        arguments = f.operands(op.lhs, op.rhs)
        return expr.call_expr(f"forebay_{name}_{suffix}", arguments, scalar_type(op.result.type))
    value, bound = f.operands(op.lhs, op.rhs)
    if op.lhs not in f.with_offset:
        return _limited(op, value, bound, f)
    limited = _limited(op, value, expr.integer_expr(f.ranges.of(op.rhs).low + OFFSET), f)
    if op.result in f.with_offset:
        return limited
    return expr.subtract_expr(limited, expr.integer_expr(OFFSET), limited.ctype)


def _limited(op: Any, clamped: Expr, bound: Expr, f: FunctionPrinter) -> Expr:
    name, inner = ("min", "max") if isinstance(op, arith.MinSIOp) else ("max", "min")
    if (
        clamped.symbol == f"{inner}_i{max(bit_width_of(op.result), 32)}"
        and bound.literal is not None
    ):
        value, other = clamped.operands
        low, high = sorted((bound, other), key=lambda e: e.literal or 0)
        if other.literal is not None and (low is other) == (inner == "max"):
            is_i8 = (low.literal, high.literal) == _I8
            if is_i8 and f.instructions.saturate_i8 and bit_width_of(op.result) == _WIDTH:
                return expr.call_expr(f.instructions.saturate_i8, (value,), "int32_t")
            return signed_call(op, "clamp", (value, low, high))
    return signed_call(op, name, (clamped, bound))


def offset_of_limits(value: ir.Value, f: FunctionPrinter) -> int:
    """Return what the expression of a value must include more: `OFFSET` before limits to 8 bits.

    It is 0 for a value that is not limited to 8 bits by its only user. From here on the first limit
    keeps the offset, and the second one subtracts it.
    """
    first = _limit(value, f)
    second = _limit(first.result, f) if first is not None else None
    if first is None or second is None or bit_width_of(value) != _WIDTH:
        return 0
    bounds = {type(limit): f.ranges.of(limit.rhs) for limit in (first, second)}
    low, high = (Range(bound, bound) for bound in _I8)
    if bounds != {arith.MaxSIOp: low, arith.MinSIOp: high}:
        return 0
    f.with_offset.update((value, first.result))
    return OFFSET


def _limit(value: ir.Value, f: FunctionPrinter) -> Any:
    """Return the minimum or maximum that is the only user of a value, else None."""
    user: Any = f.uses.only_user(value)
    return user if isinstance(user, _LIMITS) and user.lhs == value else None


@expression(arith.MinUIOp, arith.MaxUIOp)
def min_max_unsigned(op: Any, f: FunctionPrinter) -> Expr:
    """Return an unsigned minimum or maximum."""
    name = "min" if isinstance(op, arith.MinUIOp) else "max"
    return unsigned_call(op, name, f.operands(op.lhs, op.rhs))


@printable_types(arith.MinSIOp, arith.MaxSIOp, arith.MinUIOp, arith.MaxUIOp)
def _check_types(op: Any) -> str | None:
    type_ = op.result.type
    if not isinstance(type_, ir.VectorType):
        return refuse_boolean(op)
    is_known = isinstance(op, _LIMITS) and is_elements(type_)
    kinds = "numbers, and on signed vector<4xi8> to vector<16xi8>"
    return None if is_known else f"'{op.operation.name}' has a C form on {kinds}"
