"""Lifetimes as intervals of program points (ticks), one per op, loops included; knows no IR.

::

    tick      0   1   2   3   4   5   6          recorded accesses
    a         |=======================)      accessed at 0, and at 4 inside the loop
    loop                  [-----------)      ticks 3, 4, 5
    b             |===================)      accessed at 1, and at 4: the whole loop
    c                         |===)          allocated inside the loop, accessed at 4: no more
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from forebay.planning import Interval

_Step = TypeVar("_Step")


@dataclass
class _Instance:
    """One instance of a buffer, allocated inside the loops `loops`."""

    loops: tuple[int, ...]
    allocated: int
    start: int = -1
    end: int = -1

    def cover(self, start: int, end: int) -> None:
        """Extend the lifetime of the instance to contain `[start, end)`."""
        self.start = start if self.start < 0 else min(self.start, start)
        self.end = max(self.end, end)

    @property
    def span(self) -> tuple[int, int]:
        """Return the interval from first to last access; one tick if there is no access."""
        return (self.allocated, self.allocated + 1) if self.start < 0 else (self.start, self.end)


@dataclass
class Loop:
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
        spans = sorted(life.span for life in self._lives[buffer])
        merged: list[Interval] = []
        for start, end in spans:
            if merged and start <= merged[-1].end:
                merged[-1] = Interval(merged[-1].start, max(merged[-1].end, end))
            else:
                merged.append(Interval(start, end))
        return tuple(merged)
