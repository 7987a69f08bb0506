"""Index values of a loop body in all iterations at once: one array per value, by NumPy.

::

    scf.for %t = 0 to 5 step 1        %t     0  1  2  3  4
      %y = arith.subi %t, %c2         %y    -2 -1  0  1  2
      %g = arith.cmpi sge, %y, %c0    %g     0  0  1  1  1
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from mlir import ir
from mlir.dialects import arith

PerTrip = npt.NDArray[np.int64]


class IndexValues:
    """The known index values and conditions of a loop body, by iteration."""

    def __init__(self, counter: ir.Value, values: PerTrip) -> None:
        self.trips = len(values)
        self._known: dict[ir.Value, PerTrip | None] = {counter: values}

    @classmethod
    def of_numbers(cls, numbers: Mapping[ir.Value, int]) -> IndexValues:
        """Return the values that follow from these numbers, in one iteration."""
        found = cls.__new__(cls)
        found.trips = 1
        found._known = {value: np.full(1, number, np.int64) for value, number in numbers.items()}
        return found

    def of(self, value: ir.Value) -> PerTrip | None:
        """Return the value in each iteration, or None for a value that data decides."""
        if value not in self._known:
            self._known[value] = self._find(value)
        return self._known[value]

    def of_number(self, number: int | ir.Value) -> PerTrip | None:
        """Return a constant or a value in each iteration."""
        return self._all(number) if isinstance(number, int) else self.of(number)

    def _find(self, value: ir.Value) -> PerTrip | None:
        if isinstance(value.owner, ir.Block):
            return None
        op: Any = value.owner.opview
        if isinstance(op, arith.ConstantOp):
            attribute = op.value
            is_number = isinstance(attribute, ir.IntegerAttr | ir.BoolAttr)
            return self._all(int(attribute.value)) if is_number else None
        rule = _RULES.get(type(op))
        is_exact = isinstance(op, arith.ExtSIOp) or all(map(_is_wide, op.operands))
        if rule is None or not is_exact:
            return None
        operands = [self.of(operand) for operand in op.operands]
        known = [operand for operand in operands if operand is not None]
        return rule(op, *known) if len(known) == len(operands) else None

    def _all(self, number: int) -> PerTrip:
        return np.full(self.trips, number, np.int64)


def _is_wide(value: ir.Value) -> bool:
    """Return whether 64 bits hold the value exactly as its type does: no narrow type wraps."""
    type_ = value.type
    is_index = isinstance(type_, ir.IndexType)
    return is_index or (isinstance(type_, ir.IntegerType) and type_.width in (1, 64))


def _quotient(one: PerTrip, other: PerTrip) -> PerTrip:
    """Return the quotient rounded towards zero; a division by zero is undefined and gives 0."""
    found = np.sign(one) * np.sign(other) * (np.abs(one) // _divisor(np.abs(other)))
    return np.where(other == 0, 0, found)


def _floor(one: Any, other: Any) -> Any:
    return one // _divisor(other)


def _divisor(number: Any) -> Any:
    return np.where(number == 0, 1, number)


def _signed(rule: Callable[[Any, Any], Any]) -> Callable[..., PerTrip]:
    """Return the rule of an op of two numbers."""

    def of(_: Any, one: PerTrip, other: PerTrip) -> PerTrip:
        return rule(one, other)

    return of


def _unsigned(rule: Callable[[Any, Any], Any]) -> Callable[..., PerTrip]:
    """Return the rule on numbers of 64 bits without a sign: a negative one is large."""

    def of(_: Any, one: PerTrip, other: PerTrip) -> PerTrip:
        return rule(one.view(np.uint64), other.view(np.uint64)).view(np.int64)

    return of


def _compared(op: arith.CmpIOp, one: PerTrip, other: PerTrip) -> PerTrip:
    name = arith.CmpIPredicate(ir.IntegerAttr(op.predicate).value).name
    if name.startswith("u"):
        return _COMPARISONS[name[-2:]](one.view(np.uint64), other.view(np.uint64)).astype(np.int64)
    return _COMPARISONS[name[-2:]](one, other).astype(np.int64)


def _selected(_: Any, condition: PerTrip, one: PerTrip, other: PerTrip) -> PerTrip:
    return np.where(condition != 0, one, other)


def _same(_: Any, one: PerTrip) -> PerTrip:
    return one


_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}

_RULES: dict[type, Callable[..., PerTrip]] = {
    arith.AddIOp: _signed(np.add),
    arith.SubIOp: _signed(np.subtract),
    arith.MulIOp: _signed(np.multiply),
    arith.DivSIOp: _signed(_quotient),
    arith.DivUIOp: _unsigned(_floor),
    arith.FloorDivSIOp: _signed(_floor),
    arith.CeilDivSIOp: _signed(lambda one, other: -_floor(-one, other)),
    arith.RemSIOp: _signed(lambda one, other: one - _quotient(one, other) * other),
    arith.RemUIOp: _unsigned(lambda one, other: one % _divisor(other)),
    arith.MinSIOp: _signed(np.minimum),
    arith.MaxSIOp: _signed(np.maximum),
    arith.MinUIOp: _unsigned(np.minimum),
    arith.MaxUIOp: _unsigned(np.maximum),
    arith.AndIOp: _signed(np.bitwise_and),
    arith.OrIOp: _signed(np.bitwise_or),
    arith.XOrIOp: _signed(np.bitwise_xor),
    arith.SelectOp: _selected,
    arith.ExtSIOp: _same,
    arith.IndexCastOp: _same,
    arith.IndexCastUIOp: _same,
    arith.CmpIOp: _compared,
}
