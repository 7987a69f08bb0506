"""Loops that count: trip counts, and the range of a counter."""

from __future__ import annotations

from mlir import ir
from msgspec import Struct

from forebay.ir.interfaces import AnyOp, FoldResult, loop_numbers_of
from forebay.ir.memory.linear import Counter, constant_index


class CounterRange(Struct, frozen=True):
    """The values `low`, `low + step`, ... below `end`; None stands for an unknown number."""

    low: int | None
    end: int | None
    step: int | None

    @property
    def trips(self) -> int | None:
        """Return the number of iterations, or None if it is known only at run time."""
        if self.low is None or self.end is None or self.step is None:
            return None
        return max(0, -(-(self.end - self.low) // self.step))

    @property
    def is_certain(self) -> bool:
        """Return whether the loop certainly runs at least once."""
        return self.low is not None and self.end is not None and self.low < self.end

    @property
    def bounds(self) -> tuple[int, int] | None:
        """Return the smallest and the largest value, or None for a loop that may not run.

        Without a constant step, the largest value is that of step 1.
        """
        if self.low is None or self.end is None or self.end <= self.low:
            return None
        last = self.end - 1
        return self.low, last - (last - self.low) % (self.step or 1)


def counter_range_of(loop: AnyOp) -> CounterRange | None:
    """Return the values of the induction variable of a loop, or None for an op without just one."""
    numbers = loop_numbers_of(loop)
    if numbers is None or not len(numbers.counters) == 1 == len(numbers.lower):
        return None
    ends = (numbers.lower[0], numbers.upper[0], numbers.steps[0])
    return CounterRange(*map(_constant, ends))


def constant_counter_of(loop: AnyOp) -> tuple[Counter, int] | None:
    """Return the counter of a loop and its number of iterations, or None if it is not constant."""
    numbers, found = loop_numbers_of(loop), counter_range_of(loop)
    if numbers is None or found is None or found.low is None or found.step is None:
        return None
    trips = found.trips
    return None if trips is None else (Counter(numbers.counters[0], found.low, found.step), trips)


def loop_counted_by(value: ir.Value) -> ir.OpView | None:
    """Return the loop whose induction variable the value is, or None for any other value."""
    owner = value.owner
    loop = owner.owner.opview if isinstance(owner, ir.Block) else None
    numbers = None if loop is None else loop_numbers_of(loop)
    return loop if numbers is not None and value in numbers.counters else None


def _constant(number: FoldResult) -> int | None:
    return number if isinstance(number, int) else constant_index(number)
