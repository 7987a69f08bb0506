"""The skew of an operator, by which it runs later: the one with the fewest bytes times ticks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from forebay.cascade.graph import RowAccess, RowGraph, RowOperator
from forebay.support.arrays import Array


class Timing(NamedTuple):
    """The rates and the skews of the operators from `start` on."""

    start: int
    rates: Sequence[int]
    skews: Sequence[int]


class SkewChoice:
    """Compares the skews of one operator by the lifetimes of the rows that it accesses."""

    def __init__(self, graph: RowGraph) -> None:
        self._graph = graph
        self._users: list[list[tuple[int, RowAccess, bool]]] = [[] for _ in graph.tensors]
        for number, op in enumerate(graph.operators):
            for accesses, writes in ((op.reads, False), (op.writes, True)):
                for access in accesses:
                    self._users[access.tensor].append((number, access, writes))
        self._tensors = [_planned_tensors(graph, op) for op in graph.operators]
        self._neighbours = [
            sorted({user for tensor in tensors for user, _, _ in self._users[tensor]})
            for tensors in self._tensors
        ]
        self._delays: dict[tuple[object, ...], int] = {}

    def best_skew(self, operator: int, timing: Timing, latest: int) -> int:
        """Return the skew with the fewest bytes times ticks, the latest of several.

        It is from the present one to `latest`. The sum is piecewise linear in the skew. Its
        slope changes where this operator becomes the last user of a row.
        """
        least = timing.skews[operator - timing.start]
        around = range(timing.start, timing.start + len(timing.rates))
        key = (
            operator,
            latest - least,
            tuple(
                (timing.rates[user - timing.start], timing.skews[user - timing.start] - least)
                for user in self._neighbours[operator]
                if user in around
            ),
        )
        if key not in self._delays:
            self._delays[key] = self._best_skew(operator, timing, latest) - least
        return least + self._delays[key]

    def _best_skew(self, operator: int, timing: Timing, latest: int) -> int:
        least, tensors = timing.skews[operator - timing.start], self._tensors[operator]
        if not tensors:
            return latest
        lifetimes = [self._lifetimes(operator, timing, tensor) for tensor in tensors]
        breakpoints = [ticks for one in lifetimes for ticks in one.breakpoints()]
        skews = np.unique(np.concatenate([[least, latest], *breakpoints]))
        skews = skews[(skews >= least) & (skews <= latest)][::-1]
        areas = np.zeros(len(skews), np.int64)
        for one, tensor in zip(lifetimes, tensors, strict=True):
            areas += one.ticks(skews) * self._graph.tensors[tensor].row_bytes
        return int(skews[areas.argmin()])

    def _lifetimes(self, operator: int, timing: Timing, tensor: int) -> _RowLifetimes:
        found = _RowLifetimes(
            self._graph.tensors[tensor].rows, timing.rates[operator - timing.start]
        )
        stop = timing.start + len(timing.rates)
        for user, access, writes in self._users[tensor]:
            at = user - timing.start
            if user == operator:
                found.add_own(access, writes=writes)
            elif timing.start <= user < stop:
                found.add_other(access, timing.rates[at], timing.skews[at], writes=writes)
        return found


class _RowLifetimes:
    """The ticks of the rows of a tensor: those of one operator without its skew, and the others'.

    Only rows that the operator accesses count: the lifetimes of others do not depend on its skew.
    """

    def __init__(self, rows: int, rate: int) -> None:
        self._rate = rate
        self._begin, self._end = np.full(rows, _FAR), np.full(rows, -_FAR)
        self._own_begin, self._own_end = self._begin.copy(), self._end.copy()
        self._own: list[RowAccess] = []
        self._last_uses: list[Array] = []

    def add_own(self, access: RowAccess, *, writes: bool) -> None:
        """Add an access of the operator."""
        self._own.append(access)
        _add(access, self._rate, 0, self._own_end, self._own_begin if writes else None)

    def add_other(self, access: RowAccess, rate: int, skew: int, *, writes: bool) -> None:
        """Add an access of another operator."""
        _add(access, rate, skew, self._end, self._begin if writes else None)
        last_use = np.full(len(self._end), _FAR)
        last_use[access.steps.rows] = skew + rate * access.steps.last
        self._last_uses.append(last_use)

    def breakpoints(self) -> Iterator[Array]:
        """Yield the skews at which the operator and another one access a row in one tick."""
        for access in self._own:
            for last_use in self._last_uses:
                theirs = last_use[access.steps.rows]
                yield (theirs - self._rate * access.steps.last)[theirs < _FAR]

    def ticks(self, skews: Array) -> Array:
        """Return the ticks for which rows are live with each skew, but for a constant."""
        at = skews[:, None]
        used, written = self._own_end > -_FAR, self._own_begin < _FAR
        end = np.maximum(self._end[used], at + self._own_end[used])
        begin = np.minimum(self._begin[written], at + self._own_begin[written])
        return end.sum(axis=1) - begin.sum(axis=1)


def _planned_tensors(graph: RowGraph, op: RowOperator) -> list[int]:
    numbers = dict.fromkeys(access.tensor for access in (*op.reads, *op.writes))
    return [number for number in numbers if graph.tensors[number].row_bytes]


def _add(access: RowAccess, rate: int, skew: int, end: Array, begin: Array | None) -> None:
    steps = access.steps
    end[steps.rows] = np.maximum(end[steps.rows], skew + rate * steps.last)
    if begin is not None:
        begin[steps.rows] = np.minimum(begin[steps.rows], skew + rate * steps.first)


_FAR = 1 << 60
"""A tick that does not come."""
