"""Interval arithmetic of the arith and math ops."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

from mlir import ir
from mlir.dialects import arith, tosa, vector
from mlir.ir import IndexType, IntegerType, Value, VectorType
from msgspec import Struct

from forebay.dialects.accel import AddTotalsOp, DotEachOp, DotOp, DotsOp, MultiplyAddOp


class Range(Struct, frozen=True):
    """All integers from low to high, both inclusive."""

    low: int
    high: int

    def __contains__(self, other: Range) -> bool:
        return self.low <= other.low and other.high <= self.high

    def plus(self, other: Range) -> Range:
        """Return the range of sums."""
        return Range(self.low + other.low, self.high + other.high)

    def minus(self, other: Range) -> Range:
        """Return the range of differences."""
        return Range(self.low - other.high, self.high - other.low)

    def times(self, other: Range) -> Range:
        """Return the range of products."""
        corners = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Range(min(corners), max(corners))

    def times_up_to(self, count: int) -> Range:
        """Return the range of sums of zero to `count` members."""
        return Range(min(0, self.low * count), max(0, self.high * count))


SHORT_VALUE = Range(1 - 2**30, 2**30 - 1)
"""The values that the short form of the requantisation takes; each result has 32 bits."""
SHORT_SHIFT, SHORT_SHIFT_OF_LANES = Range(32, 62), Range(32, 53)
"""Its shifts, and those where the zero point is added before the last rounding."""


def type_range(type_: ir.Type) -> Range:
    """Return the range of an integer type, or of a vector's elements; `index` is 32 bits in C."""
    if isinstance(type_, VectorType):
        type_ = type_.element_type
    width = type_.width if isinstance(type_, IntegerType) else 32
    if width == 1:
        return Range(0, 1)
    return Range(-(2 ** (width - 1)), 2 ** (width - 1) - 1)


def hull(one: Range, other: Range) -> Range:
    """Return the smallest range around both."""
    return Range(min(one.low, other.low), max(one.high, other.high))


def _width_of(value: Value) -> int:
    """Return the width of an integer; an index is an int32_t in C."""
    type_ = value.type
    if isinstance(type_, VectorType):
        type_ = type_.element_type
    return type_.width if isinstance(type_, IntegerType) else 32


RangeOf = Callable[[Value], Range]
_BYTE = Range(-(2**7), 2**7 - 1)


def range_of_arith(op: Any, of: RangeOf) -> Range | None:
    """Return the range of an op's mathematical result, or None where it is unknown.

    The range of a vector is that of all its elements.
    """
    rule = _RULES.get(type(op))
    return rule(op, of) if rule is not None and _is_integer(op.results[0].type) else None


def _is_integer(type_: ir.Type) -> bool:
    """Return whether a type is one of integers, or of vectors of them."""
    element = type_.element_type if isinstance(type_, VectorType) else type_
    return isinstance(element, IntegerType | IndexType)


def range_of_products(op: DotOp | DotsOp | DotEachOp | MultiplyAddOp, of: RangeOf) -> Range:
    """Return the range of what is added to the sum, or to each sum of a vector."""
    offset = Range(op.offset.value, op.offset.value)
    if isinstance(op, MultiplyAddOp):
        return of(op.lhs).plus(offset).times(of(op.rhs))
    product = of(op.lhs).plus(offset).times(_BYTE)
    is_lane = isinstance(op, DotOp) and op.lane is not None
    return product.times_up_to(1 if is_lane else VectorType(op.lhs.type).shape[0])


def _of_total(op: vector.ReductionOp, of: RangeOf) -> Range | None:
    """Return the range of a total that is added to a sum."""
    if op.kind != ir.Attribute.parse("#vector.kind<add>") or op.acc is None:
        return None
    return of(op.acc).plus(_total_of(op.vector, of))


def _of_totals(op: AddTotalsOp, of: RangeOf) -> Range:
    totals = [_total_of(own, of) for own in op.sums]
    return of(op.start).plus(reduce(hull, totals))


def _total_of(value: Value, of: RangeOf) -> Range:
    count = VectorType(value.type).shape[0]
    return of(value).times(Range(count, count))


def _unsigned(op: Any, of: RangeOf) -> Range:
    found = of(op.in_)
    return found if found.low >= 0 else Range(0, 2 ** _width_of(op.in_) - 1)


def _sign_extended(op: Any, of: RangeOf) -> Range:
    return Range(-1, 0) if _width_of(op.in_) == 1 else of(op.in_)


def _shift_left(op: Any, of: RangeOf) -> Range | None:
    amount = of(op.rhs)
    if amount.low < 0 or amount.high >= _width_of(op.lhs):
        return None
    return of(op.lhs).times(Range(2**amount.low, 2**amount.high))


def _shift_right(op: Any, of: RangeOf) -> Range | None:
    amount, value = of(op.rhs), of(op.lhs)
    if amount.low < 0 or amount.high >= _width_of(op.lhs):
        return None
    corners = [v >> a for v in (value.low, value.high) for a in (amount.low, amount.high)]
    return Range(min(corners), max(corners))


def _shift_right_unsigned(op: Any, of: RangeOf) -> Range | None:
    return _shift_right(op, of) if of(op.lhs).low >= 0 else None


def _divide(op: Any, of: RangeOf) -> Range | None:
    value, divisor = of(op.lhs), of(op.rhs)
    if divisor.low < 1:
        return None
    corners = [
        abs(v) // d * (1 if v >= 0 else -1)
        for v in (value.low, value.high)
        for d in (divisor.low, divisor.high)
    ]
    return Range(min(corners), max(corners))


def _divide_floor(op: Any, of: RangeOf) -> Range | None:
    value, divisor = of(op.lhs), of(op.rhs)
    if divisor.low < 1:
        return None
    corners = [v // d for v in (value.low, value.high) for d in (divisor.low, divisor.high)]
    return Range(min(corners), max(corners))


def _divide_ceil(op: Any, of: RangeOf) -> Range | None:
    value, divisor = of(op.lhs), of(op.rhs)
    if divisor.low < 1:
        return None
    corners = [-(-v // d) for v in (value.low, value.high) for d in (divisor.low, divisor.high)]
    return Range(min(corners), max(corners))


def _remainder(op: Any, of: RangeOf) -> Range | None:
    value, divisor = of(op.lhs), of(op.rhs)
    if divisor.low < 1:
        return None
    most = divisor.high - 1
    return Range(max(value.low, -most) if value.low < 0 else 0, min(max(value.high, 0), most))


def _remainder_unsigned(op: Any, of: RangeOf) -> Range | None:
    """Return the range of a remainder, also of a number that is negative as a signed one."""
    if of(op.lhs).low >= 0:
        return _remainder(op, of)
    divisor = of(op.rhs)
    return Range(0, divisor.high - 1) if divisor.low >= 1 else None


def _when_non_negative(
    rule: Callable[[Any, RangeOf], Range | None],
) -> Callable[[Any, RangeOf], Range | None]:
    def guarded(op: Any, of: RangeOf) -> Range | None:
        return rule(op, of) if of(op.lhs).low >= 0 and of(op.rhs).low >= 0 else None

    return guarded


def _and(op: Any, of: RangeOf) -> Range | None:
    highs = [r.high for r in (of(op.lhs), of(op.rhs)) if r.low >= 0]
    return Range(0, min(highs)) if highs else None


def _or(op: Any, of: RangeOf) -> Range | None:
    one, other = of(op.lhs), of(op.rhs)
    if one.low < 0 or other.low < 0:
        return None
    return Range(0, 2 ** max(one.high, other.high).bit_length() - 1)


def _minimum(op: Any, of: RangeOf) -> Range:
    one, other = of(op.lhs), of(op.rhs)
    return Range(min(one.low, other.low), min(one.high, other.high))


def _maximum(op: Any, of: RangeOf) -> Range:
    one, other = of(op.lhs), of(op.rhs)
    return Range(max(one.low, other.low), max(one.high, other.high))


def _apply_scale(op: Any, of: RangeOf) -> Range | None:
    multiplier, shift = of(op.multiplier), of(op.shift)
    if shift.low < 2 or shift.high > 62:
        return None
    product = of(op.value).times(multiplier)
    corners = [p >> s for p in (product.low, product.high) for s in (shift.low, shift.high)]
    return Range(min(corners) - 1, max(corners) + 2)


_RULES: dict[type[Any], Callable[[Any, RangeOf], Range | None]] = {
    DotOp: lambda op, of: of(op.sum).plus(range_of_products(op, of)),
    DotEachOp: lambda op, of: of(op.sum).plus(range_of_products(op, of)),
    DotsOp: lambda op, of: of(op.sum).plus(range_of_products(op, of)),
    AddTotalsOp: _of_totals,
    vector.ReductionOp: _of_total,
    MultiplyAddOp: lambda op, of: of(op.sum).plus(range_of_products(op, of)),
    vector.BroadcastOp: lambda op, of: of(op.source),
    vector.FromElementsOp: lambda op, of: reduce(hull, map(of, op.elements)),
    arith.AddIOp: lambda op, of: of(op.lhs).plus(of(op.rhs)),
    arith.SubIOp: lambda op, of: of(op.lhs).minus(of(op.rhs)),
    arith.MulIOp: lambda op, of: of(op.lhs).times(of(op.rhs)),
    arith.ShLIOp: _shift_left,
    arith.ShRSIOp: _shift_right,
    arith.ShRUIOp: _shift_right_unsigned,
    arith.DivSIOp: _divide,
    arith.DivUIOp: _when_non_negative(_divide),
    arith.FloorDivSIOp: _divide_floor,
    arith.CeilDivSIOp: _divide_ceil,
    arith.CeilDivUIOp: _when_non_negative(_divide_ceil),
    arith.RemSIOp: _remainder,
    arith.RemUIOp: _remainder_unsigned,
    arith.AndIOp: _and,
    arith.OrIOp: _or,
    arith.XOrIOp: _or,
    arith.MinSIOp: _minimum,
    arith.MaxSIOp: _maximum,
    arith.MinUIOp: _when_non_negative(_minimum),
    arith.MaxUIOp: _when_non_negative(_maximum),
    arith.SelectOp: lambda op, of: hull(of(op.true_value), of(op.false_value)),
    arith.ExtSIOp: _sign_extended,
    arith.ExtUIOp: _unsigned,
    arith.TruncIOp: lambda op, of: of(op.in_),
    arith.IndexCastOp: _sign_extended,
    arith.IndexCastUIOp: _unsigned,
    tosa.ApplyScaleOp: _apply_scale,
    arith.CmpIOp: lambda op, of: Range(0, 1),
    arith.CmpFOp: lambda op, of: Range(0, 1),
}
