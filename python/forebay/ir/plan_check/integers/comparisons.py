"""Comparisons of integers: of numbers, and of forms whose bounds decide them."""

from __future__ import annotations

import operator
from collections.abc import Callable

from mlir import ir
from mlir.dialects import arith

from forebay.ir.plan_check.integers.numbers import ZERO, LinearForm, Numbers, number

_Bound = int | float


def bits_of(type_: ir.Type) -> int:
    """Return the width of an integer type; an index is as wide as an address, 64 bits."""
    return type_.width if isinstance(type_, ir.IntegerType) else 64


def comparison_of(op: arith.CmpIOp) -> Callable[[int, int], int]:
    """Return the function of a comparison; a true condition is 1, which is -1 as signed."""
    name = _name_of(op)
    compare = _COMPARISONS[name[-2:]]
    bits = bits_of(op.lhs.type)
    is_unsigned, is_condition = name.startswith("u"), bits == 1

    def of(one: int, other: int) -> int:
        if is_unsigned:
            one, other = one % (1 << bits), other % (1 << bits)
        elif is_condition:
            one, other = -one, -other
        return int(compare(one, other))

    return of


def compared(
    op: arith.CmpIOp, one: LinearForm, other: LinearForm, numbers: Numbers
) -> LinearForm | None:
    """Return the result of a comparison that all values of its operands give, else None.

    Conditions are not compared, nor operands of an unsigned comparison that may be negative.
    """
    name = _name_of(op)
    if bits_of(op.lhs.type) == 1:
        return None
    if name.startswith("u") and min(numbers.lower(one), numbers.lower(other)) < 0:
        return None
    ahead = one.minus(other)
    low, high = numbers.lower(ahead), numbers.upper(ahead)
    always, never = _DECIDED[name[-2:]]
    if always(low, high):
        return number(1)
    return ZERO if never(low, high) else None


def _name_of(op: arith.CmpIOp) -> str:
    return arith.CmpIPredicate(ir.IntegerAttr(op.predicate).value).name


_COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}

_Decision = Callable[[_Bound, _Bound], bool]

_DECIDED: dict[str, tuple[_Decision, _Decision]] = {
    "eq": (lambda low, high: low == high == 0, lambda low, high: low > 0 or high < 0),
    "ne": (lambda low, high: low > 0 or high < 0, lambda low, high: low == high == 0),
    "lt": (lambda _, high: high < 0, lambda low, _: low >= 0),
    "le": (lambda _, high: high <= 0, lambda low, _: low > 0),
    "gt": (lambda low, _: low > 0, lambda _, high: high <= 0),
    "ge": (lambda low, _: low >= 0, lambda _, high: high < 0),
}
"""Whether a comparison is always true, and never, by bounds of the difference of its operands."""
