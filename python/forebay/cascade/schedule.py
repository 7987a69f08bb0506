"""The schedule of a segment: at which tick of one loop each operator computes each of its rows.

Step `y` of operator `k` runs at tick `rate[k] * y + skew[k]`; within a tick, operators run in their
order. A convolution with 3 rows behind a convolution of stride 1, and one of stride 2 behind it::

    tick        0   1   2   3   4   5   6
    first       0   1   2   3   4   5           rate 1, skew 0
    second          0   1   2   3   4   5       rate 1, skew 1: row 0 needs rows 0 and 1
    third               0       1       2       rate 2, skew 2

Rates follow from the strides of the windows. A skew is the least one at which every row that a step
reads has been written, and every row that it writes has been read. Operators that may run later
do so where this saves bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import gcd, lcm

import numpy as np

from forebay.cascade.graph import RowAccess, RowGraph
from forebay.support.arrays import Array

NEVER = np.iinfo(np.int64).max
"""A point in time that does not come."""


@dataclass(frozen=True)
class Segment:
    """The operators `[start, stop)` of a graph in one loop of `ticks` iterations.

    A segment of one operator that is not `by_rows` runs it as a whole, without a loop.
    """

    start: int
    stop: int
    by_rows: bool = True
    rates: tuple[int, ...] = (1,)
    skews: tuple[int, ...] = (0,)
    ticks: int = 1

    def tick(self, operator: int, step: int) -> int:
        """Return the tick of a step of an operator."""
        return self.rates[operator - self.start] * step + self.skews[operator - self.start]


@dataclass(frozen=True, eq=False)
class Dependence:
    """Operator `after` runs step `y` when `before` has run its steps up to `needed[y]`.

    `needed` is -1 where nothing is. `is_flow`: the rows go from one to the other.
    """

    before: int
    after: int
    needed: Array
    is_flow: bool


def step_dependences_of(graph: RowGraph) -> tuple[Dependence, ...]:
    """Return the dependences between operators: reads after writes, and writes after both."""
    found: list[Dependence] = []
    users: list[list[tuple[int, RowAccess, bool]]] = [[] for _ in graph.tensors]
    for number, op in enumerate(graph.operators):
        accesses = [(a, False) for a in op.reads] + [(a, True) for a in op.writes]
        for access, writes in accesses:
            for other, earlier, wrote in users[access.tensor]:
                if other != number and (wrote or writes):
                    rows = graph.tensors[access.tensor].rows
                    needed = _needed(last_steps(earlier, rows), access)
                    found.append(Dependence(other, number, needed, wrote and not writes))
        for access, writes in accesses:
            users[access.tensor].append((number, access, writes))
    return tuple(found)


@lru_cache(maxsize=4096)
def last_steps(access: RowAccess, rows: int) -> Array:
    """Return the last step that accesses each row; -1 if none does."""
    steps = np.full(rows, -1, np.int64)
    for step, span in enumerate(access.spans):
        steps[span.start : span.stop] = step
    return steps


@lru_cache(maxsize=4096)
def first_steps(access: RowAccess, rows: int) -> Array:
    """Return the first step that accesses each row; -1 if none does."""
    steps = np.full(rows, -1, np.int64)
    for step in range(len(access.spans) - 1, -1, -1):
        span = access.spans[step]
        steps[span.start : span.stop] = step
    return steps


def _needed(last: Array, access: RowAccess) -> Array:
    needed = [int(last[s.start : s.stop].max()) if s.size else -1 for s in access.spans]
    return np.array(needed, np.int64)


class Scheduler:
    """Makes the schedules of segments of one graph."""

    def __init__(self, graph: RowGraph) -> None:
        self._graph = graph
        self._dependences = step_dependences_of(graph)
        self._slopes = [_slope(d) if d.is_flow else None for d in self._dependences]
        self._by_after: list[list[int]] = [[] for _ in graph.operators]
        for number, dependence in enumerate(self._dependences):
            self._by_after[dependence.after].append(number)

    def whole(self, operator: int) -> Segment:
        """Return the segment that runs an operator as a whole."""
        return Segment(operator, operator + 1, by_rows=False)

    def segment(self, start: int, stop: int) -> Segment:
        """Return the loop over the rows of the operators `[start, stop)`."""
        inside = [
            n
            for after in range(start, stop)
            for n in self._by_after[after]
            if self._dependences[n].before >= start
        ]
        rates = self._rates(start, stop, inside)
        skews = self._skews(start, stop, inside, rates)
        steps = [self._graph.operators[k].steps for k in range(start, stop)]
        ticks = 1 + max(
            rate * (count - 1) + skew for rate, count, skew in zip(rates, steps, skews, strict=True)
        )
        return Segment(start, stop, True, tuple(rates), tuple(skews), ticks)

    def _rates(self, start: int, stop: int, inside: Sequence[int]) -> list[int]:
        """Return the ticks from step to step, in the least whole numbers per connected part."""
        rates: dict[int, Fraction] = {}
        edges: dict[int, list[tuple[int, Fraction]]] = {}
        for one, two, slope in [*self._flows(inside), *self._shared(start, stop)]:
            edges.setdefault(one, []).append((two, slope))
            edges.setdefault(two, []).append((one, 1 / slope))
        for first in range(start, stop):
            if first in rates:
                continue
            rates[first], part = Fraction(1), [first]
            for one in part:
                for two, slope in edges.get(one, ()):
                    if two not in rates:
                        rates[two] = rates[one] * slope
                        part.append(two)
            whole = lcm(*(rates[k].denominator for k in part))
            common = gcd(*(int(rates[k] * whole) for k in part))
            for k in part:
                rates[k] = rates[k] * whole / common
        return [int(rates[k]) for k in range(start, stop)]

    def _flows(self, inside: Sequence[int]) -> Iterator[tuple[int, int, Fraction]]:
        for number in inside:
            slope, dependence = self._slopes[number], self._dependences[number]
            if slope is not None:
                yield dependence.before, dependence.after, slope

    def _shared(self, start: int, stop: int) -> Iterator[tuple[int, int, Fraction]]:
        """Yield pairs of operators that read one tensor from outside: it dies for both at once."""
        for readers in self._graph.readers:
            inside = [k for k in readers if start <= k < stop]
            for one, two in pairwise(inside):
                steps = self._graph.operators[one].steps, self._graph.operators[two].steps
                if min(steps) > 1:
                    yield one, two, Fraction(steps[0], steps[1])

    def _skews(
        self, start: int, stop: int, inside: Sequence[int], rates: Sequence[int]
    ) -> list[int]:
        """Return the least skews, then raise those of operators that may wait for their reader."""
        gaps: list[tuple[int, int, int]] = []
        for number in inside:
            d = self._dependences[number]
            needs = np.flatnonzero(d.needed >= 0)
            if len(needs):
                before, after = rates[d.before - start], rates[d.after - start]
                gap = int((before * d.needed[needs] - after * needs).max())
                gaps.append((d.before - start, d.after - start, gap))
        skews = [0] * (stop - start)
        for k in range(stop - start):
            skews[k] = max((skews[a] + gap for a, b, gap in gaps if b == k), default=0)
        users = _Users(self._graph, start, stop, rates)
        for k in range(stop - start - 1, -1, -1):
            latest = min((skews[b] - gap for a, b, gap in gaps if a == k), default=skews[k])
            if latest > skews[k]:
                skews[k] = users.best_skew(k, skews, latest)
        least = min(skews)
        return [skew - least for skew in skews]


class _Users:
    """The accesses to the tensors of a segment, to compare skews by the lifetimes of rows."""

    def __init__(self, graph: RowGraph, start: int, stop: int, rates: Sequence[int]) -> None:
        self._graph = graph
        self._start = start
        self._rates = rates
        self._of: dict[int, list[tuple[int, RowAccess, bool]]] = {}
        for k in range(start, stop):
            op = graph.operators[k]
            for accesses, writes in ((op.reads, False), (op.writes, True)):
                for access in accesses:
                    if graph.tensors[access.tensor].row_bytes:
                        self._of.setdefault(access.tensor, []).append((k - start, access, writes))

    def best_skew(self, k: int, skews: Sequence[int], latest: int) -> int:
        """Return the skew with the fewest bytes times ticks, the latest of several.

        The sum is piecewise linear in the skew; where it bends, rows that the operator reads begin
        to die by it and not by another operator.
        """
        op = self._graph.operators[self._start + k]
        tensors = {a.tensor for a in (*op.reads, *op.writes) if a.tensor in self._of}
        choices = {skews[k], latest}
        for tensor in tensors:
            for other, access, _ in self._of[tensor]:
                if other != k:
                    choices.update(self._bends(k, tensor, other, access, skews))
        inside = sorted((c for c in choices if skews[k] <= c <= latest), reverse=True)
        return min(inside, key=lambda c: self._bytes(tensors, [*skews[:k], c, *skews[k + 1 :]]))

    def _bends(
        self, k: int, tensor: int, other: int, access: RowAccess, skews: Sequence[int]
    ) -> set[int]:
        rows = self._graph.tensors[tensor].rows
        theirs = last_steps(access, rows)
        found: set[int] = set()
        for number, own, _ in self._of[tensor]:
            if number == k:
                mine = last_steps(own, rows)
                both = (mine >= 0) & (theirs >= 0)
                ticks = skews[other] + self._rates[other] * theirs - self._rates[k] * mine
                found.update(map(int, np.unique(ticks[both])))
        return found

    def _bytes(self, tensors: Iterable[int], skews: Sequence[int]) -> int:
        """Return the sum over the rows of tensors of bytes times ticks in the segment."""
        total = 0
        for tensor in tensors:
            rows = self._graph.tensors[tensor].rows
            begin, end = np.full(rows, NEVER), np.full(rows, -NEVER)
            for k, access, writes in self._of[tensor]:
                first, last = first_steps(access, rows), last_steps(access, rows)
                used = last >= 0
                ticks = skews[k] + self._rates[k] * last
                end[used] = np.maximum(end, ticks)[used]
                if writes:
                    ticks = skews[k] + self._rates[k] * first
                    begin[used] = np.minimum(begin, ticks)[used]
            live = end > -NEVER
            begin[begin == NEVER] = 0
            total += int((end - begin)[live].sum()) * self._graph.tensors[tensor].row_bytes
        return total


def _slope(dependence: Dependence) -> Fraction | None:
    """Return how many steps of one operator go with a step of the other; None if none do."""
    needed = dependence.needed
    if len(needed) < 2 or needed.min() == needed.max():
        return None
    differences = np.diff(needed)
    inner = differences[(needed[1:] < needed.max()) & (needed[:-1] > needed.min())]
    counts = Counter(inner.tolist() or differences.tolist())
    step, times = counts.most_common(1)[0]
    if step > 0 and 2 * times > sum(counts.values()):
        return Fraction(int(step))
    return _rounded(Fraction(int(needed.max() - needed.min() + 1), len(needed)))


def _rounded(slope: Fraction) -> Fraction:
    """Return a near ratio whose smaller number is at most 64; it is never 0."""
    if slope < 1:
        return 1 / _rounded(1 / slope)
    return slope.limit_denominator(64)
