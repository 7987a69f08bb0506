"""Lifetimes as intervals of program points (ticks), one per op, loops included; knows no IR.

::

    tick      0   1   2   3   4   5   6          recorded accesses
    a         |=======================)      accessed at 0, and at 4 inside the loop
    loop                  [-----------)      ticks 3, 4, 5
    b             |===================)      accessed at 1, and at 4: the whole loop
    c                         |===)          allocated inside the loop, accessed at 4: no more

The rows of a buffer may have lifetimes of their own. An access to the whole buffer is one to each
of its rows.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from forebay.planning import Interval

Ticks = npt.NDArray[np.int64]

_Step = TypeVar("_Step")

_NEVER = np.iinfo(np.int64).max


class RowTicks:
    """For each row of a buffer, the ticks of the first access and after the last one."""

    def __init__(self, count: int) -> None:
        self.starts: Ticks = np.full(count, _NEVER, np.int64)
        self.ends: Ticks = np.full(count, -1, np.int64)

    def access(self, rows: Ticks, ticks: Ticks) -> None:
        """Record that each row of `rows` is accessed at the tick at the same position."""
        np.minimum.at(self.starts, rows, ticks)
        np.maximum.at(self.ends, rows, ticks + 1)

    def merge(self, other: RowTicks) -> None:
        """Extend each row's lifetime to contain that of the same row in `other`."""
        self.starts = np.minimum(self.starts, other.starts)
        self.ends = np.maximum(self.ends, other.ends)


class _Instance(Struct):
    """One instance of a buffer, allocated inside the loops `loops`.

    `start` and `end` are those of accesses to all of the buffer.
    """

    loops: tuple[int, ...]
    allocated: int
    start: int = -1
    end: int = -1
    rows: RowTicks | None = None

    def cover(self, start: int, end: int) -> None:
        """Extend the lifetime of the instance to contain `[start, end)`."""
        self.start = start if self.start < 0 else min(self.start, start)
        self.end = max(self.end, end)

    @property
    def span(self) -> tuple[int, int]:
        """Return the interval from first to last access; one tick if there is no access."""
        start, end = self.start, self.end
        if self.rows is not None and self.rows.ends.max() >= 0:
            first, last = int(self.rows.starts.min()), int(self.rows.ends.max())
            start, end = first if start < 0 else min(start, first), max(end, last)
        return (self.allocated, self.allocated + 1) if start < 0 else (start, end)

    def row_spans(self, count: int) -> list[tuple[int, int]]:
        """Return the interval from first to last access of each row."""
        found = RowTicks(count)
        if self.rows is not None:
            found.merge(self.rows)
        if self.start >= 0:
            found.starts = np.minimum(found.starts, self.start)
            found.ends = np.maximum(found.ends, self.end)
        none = (self.allocated, self.allocated + 1)
        pairs = zip(found.starts.tolist(), found.ends.tolist(), strict=True)
        return [none if end < 0 else (start, end) for start, end in pairs]


class Loop(Struct):
    """A loop around the current program point."""

    number: int
    start: int
    accessed: set[int] = field(default_factory=set[int])


class LifetimeClock(Generic[_Step]):
    """A counter of program points that records the lifetimes of each buffer, by its number."""

    def __init__(self) -> None:
        self.steps: list[_Step] = []
        self._loops: list[Loop] = []
        self._loops_seen = 0
        self._lives: dict[int, list[_Instance]] = {}

    @property
    def now(self) -> int:
        """Return the next tick."""
        return len(self.steps)

    def tick(self, step: _Step, accessed: frozenset[int]) -> None:
        """Record one op, which accesses these buffers."""
        now = self.now
        self.steps.append(step)
        for buffer in accessed:
            self.cover(buffer, now, now + 1)

    def allocated(self, buffer: int) -> None:
        """Begin a new instance of the buffer; the lifetime of the previous one ends."""
        loops = tuple(loop.number for loop in self._loops)
        self._lives.setdefault(buffer, []).append(_Instance(loops, self.now))

    def cover(self, buffer: int, start: int, end: int) -> None:
        """Extend the lifetime of the buffer's latest instance to contain `[start, end)`."""
        self._lives[buffer][-1].cover(start, end)
        if self._loops:
            self._loops[-1].accessed.add(buffer)

    def advance(self, steps: Iterable[_Step]) -> None:
        """Record several ops, whose accesses are recorded by `cover` and `cover_rows`."""
        self.steps.extend(steps)

    def cover_rows(self, buffer: int, rows: RowTicks) -> None:
        """Extend the lifetime of each row of the buffer's latest instance."""
        instance = self._lives[buffer][-1]
        if instance.rows is None:
            instance.rows = rows
        else:
            instance.rows.merge(rows)
        if self._loops:
            self._loops[-1].accessed.add(buffer)

    def has_rows(self, buffer: int) -> bool:
        """Return whether rows of the buffer were accessed one by one."""
        return any(instance.rows is not None for instance in self._lives[buffer])

    def was_allocated_in(self, buffer: int, loop: Loop) -> bool:
        """Return whether each iteration of the loop allocates its own instance."""
        return loop.number in self._lives[buffer][-1].loops

    @contextmanager
    def loop(self) -> Generator[Loop]:
        """Enter a loop: buffers from outside that it accesses are live over the whole loop."""
        loop = Loop(self._loops_seen, self.now)
        self._loops_seen += 1
        self._loops.append(loop)
        yield loop
        self._loops.pop()
        for buffer in loop.accessed:
            if not self.was_allocated_in(buffer, loop):
                self.cover(buffer, loop.start, self.now)

    def rewind(self, loop: Loop) -> None:
        """Go back to the beginning of the loop; recorded lifetimes are not discarded."""
        del self.steps[loop.start :]

    def lifetime(self, buffer: int) -> tuple[Interval, ...]:
        """Return one or more disjoint intervals in ascending order."""
        return _merged(life.span for life in self._lives[buffer])

    def row_lifetimes(self, buffer: int, count: int) -> tuple[tuple[Interval, ...], ...]:
        """Return the lifetime of each of the `count` rows of a buffer."""
        instances = [life.row_spans(count) for life in self._lives[buffer]]
        return tuple(_merged(spans) for spans in zip(*instances, strict=True))


def _merged(spans: Iterable[tuple[int, int]]) -> tuple[Interval, ...]:
    """Return the union of intervals, in ascending order."""
    merged: list[Interval] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1].end:
            merged[-1] = Interval(merged[-1].start, max(merged[-1].end, end))
        else:
            merged.append(Interval(start, end))
    return tuple(merged)
