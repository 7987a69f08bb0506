"""Minimum, maximum and clamp of integers."""

from __future__ import annotations

from typing import Any

from mlir.dialects import arith

from forebay.codegen.c.function import FunctionPrinter
from forebay.codegen.c.registry import expression, printable_check
from forebay.codegen.c.syntax import expr
from forebay.codegen.c.syntax.expr import Expr
from forebay.codegen.c.syntax.integers import (
    bit_width_of,
    refuse_boolean,
    signed_call,
    unsigned_call,
)

_I8, _WIDTH = (-128, 127), 32
"""The range of 8 bits, to which a function of the instruction set limits a value of 32 bits."""


@expression(arith.MinSIOp, arith.MaxSIOp)
def min_max(op: Any, f: FunctionPrinter) -> Expr:
    """Return a signed minimum or maximum; one of each with literal bounds becomes a clamp."""
    name, inner = ("min", "max") if isinstance(op, arith.MinSIOp) else ("max", "min")
    operands = f.operands(op.lhs, op.rhs)
    clamped, bound = operands
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
    return signed_call(op, name, operands)


@expression(arith.MinUIOp, arith.MaxUIOp)
def min_max_unsigned(op: Any, f: FunctionPrinter) -> Expr:
    """Return an unsigned minimum or maximum."""
    name = "min" if isinstance(op, arith.MinUIOp) else "max"
    return unsigned_call(op, name, f.operands(op.lhs, op.rhs))


printable_check(arith.MinSIOp, arith.MaxSIOp, arith.MinUIOp, arith.MaxUIOp)(refuse_boolean)
