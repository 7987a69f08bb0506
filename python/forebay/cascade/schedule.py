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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import gcd, lcm

import numpy as np

from forebay.cascade.graph import RowAccess, RowGraph
from forebay.cascade.skews import SkewChoice, Timing
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
                    needed = _needed(_last_steps(earlier, rows), access)
                    found.append(Dependence(other, number, needed, wrote and not writes))
        for access, writes in accesses:
            users[access.tensor].append((number, access, writes))
    return tuple(found)


def _last_steps(access: RowAccess, rows: int) -> Array:
    """Return the last step that accesses each of all rows; -1 if none does."""
    last = np.full(rows, -1, np.int64)
    last[access.steps.rows] = access.steps.last
    return last


def _needed(last: Array, access: RowAccess) -> Array:
    pairs = zip(access.slices, access.counts, strict=True)
    needed = [int(last[of_step].max()) if count else -1 for of_step, count in pairs]
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
        self._shared_reads = _shared_reads(graph)
        self._gaps: dict[tuple[int, int, int], int | None] = {}
        self._skew_choice = SkewChoice(graph)

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
        edges: list[list[tuple[int, int, int]]] = [[] for _ in range(start, stop)]
        for one, two, up, down in [*self._flows(inside), *self._shared(start, stop)]:
            edges[one - start].append((two - start, up, down))
            edges[two - start].append((one - start, down, up))
        rates: list[int] = [0] * (stop - start)
        for first in range(stop - start):
            if not rates[first]:
                for k, rate in _whole_rates(edges, first).items():
                    rates[k] = rate
        return rates

    def _flows(self, inside: Sequence[int]) -> Iterator[tuple[int, int, int, int]]:
        for number in inside:
            slope, dependence = self._slopes[number], self._dependences[number]
            if slope is not None:
                yield dependence.before, dependence.after, *slope

    def _shared(self, start: int, stop: int) -> Iterator[tuple[int, int, int, int]]:
        """Yield pairs of operators that read one tensor from outside: it dies for both at once."""
        found = [each for two in range(start, stop) for each in self._shared_reads[two]]
        for _, *pair in sorted(each for each in found if each[1] >= start):
            yield pair[0], pair[1], pair[2], pair[3]

    def _skews(
        self, start: int, stop: int, inside: Sequence[int], rates: Sequence[int]
    ) -> list[int]:
        """Return the least skews, then raise those of operators that may wait for their reader."""
        count = stop - start
        writers: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        readers: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        for number in inside:
            before = self._dependences[number].before - start
            after = self._dependences[number].after - start
            gap = self._gap(number, rates[before], rates[after])
            if gap is not None:
                writers[after].append((before, gap))
                readers[before].append((after, gap))
        skews: list[int] = []
        for of_one in writers:
            skews.append(max((skews[before] + gap for before, gap in of_one), default=0))
        for k in range(count - 1, -1, -1):
            latest = min((skews[after] - gap for after, gap in readers[k]), default=skews[k])
            if latest > skews[k]:
                timing = Timing(start, rates, skews)
                skews[k] = self._skew_choice.best_skew(start + k, timing, latest)
        least = min(skews)
        return [skew - least for skew in skews]

    def _gap(self, number: int, before: int, after: int) -> int | None:
        """Return the least ticks from one operator to the other at these rates, if any."""
        key = number, before, after
        if key not in self._gaps:
            needed = self._dependences[number].needed
            steps = np.flatnonzero(needed >= 0)
            ticks = before * needed[steps] - after * steps
            self._gaps[key] = int(ticks.max()) if len(steps) else None
        return self._gaps[key]


def _shared_reads(graph: RowGraph) -> list[list[tuple[int, int, int, int, int]]]:
    """Return by operator the tensors that an earlier one reads, too, and the steps of both."""
    found: list[list[tuple[int, int, int, int, int]]] = [[] for _ in graph.operators]
    for tensor, readers in enumerate(graph.readers):
        for one, two in pairwise(readers):
            steps = graph.operators[one].steps, graph.operators[two].steps
            if min(steps) > 1:
                found[two].append((tensor, one, two, *steps))
    return found


def _whole_rates(edges: Sequence[Sequence[tuple[int, int, int]]], first: int) -> dict[int, int]:
    """Return the rates of all operators that edges connect with one; they have no common factor.

    An edge is another operator, and the steps of this and of the other one that go together.
    """
    rates = {first: (1, 1)}
    part = [first]
    for one in part:
        for two, up, down in edges[one]:
            if two not in rates:
                above, below = rates[one][0] * up, rates[one][1] * down
                common = gcd(above, below)
                rates[two] = above // common, below // common
                part.append(two)
    whole = lcm(*(below for _, below in rates.values()))
    counts = {k: above * (whole // below) for k, (above, below) in rates.items()}
    common = gcd(*counts.values())
    return {k: count // common for k, count in counts.items()}


def _slope(dependence: Dependence) -> tuple[int, int] | None:
    """Return how many steps of one operator go with how many of the other; None if none do."""
    needed = dependence.needed
    if len(needed) < 2 or needed.min() == needed.max():
        return None
    differences = np.diff(needed)
    inner = differences[(needed[1:] < needed.max()) & (needed[:-1] > needed.min())]
    counts = Counter(inner.tolist() or differences.tolist())
    step, times = counts.most_common(1)[0]
    if step > 0 and 2 * times > sum(counts.values()):
        return int(step), 1
    return _rounded(Fraction(int(needed.max() - needed.min() + 1), len(needed))).as_integer_ratio()


def _rounded(slope: Fraction) -> Fraction:
    """Return a near ratio whose smaller number is at most 64; it is never 0."""
    if slope < 1:
        return 1 / _rounded(1 / slope)
    return slope.limit_denominator(64)
