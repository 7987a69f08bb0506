"""The lifetimes of rows in a schedule, and the bytes that are live together.

Each step is one program point; the points of a segment are in the order of ticks, and those of a
tick in the order of the operators. An operator that runs as a whole is one point.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from forebay.cascade.graph import RowAccess, RowGraph
from forebay.cascade.schedule import NEVER, Segment, first_steps, last_steps
from forebay.support.arrays import Array


@dataclass(frozen=True)
class Peak:
    """The most bytes that are live at one point, and the operator and step that run there."""

    bytes: int
    operator: int
    step: int


@dataclass(frozen=True, eq=False)
class RowLives:
    """For each row of a tensor the points `[begin, end)` of one segment; no point if both are 0."""

    tensor: int
    begin: Array
    end: Array


class LiveRows:
    """The live rows of segments of one graph."""

    def __init__(self, graph: RowGraph) -> None:
        self._graph = graph
        self._accesses: list[list[tuple[int, RowAccess, bool]]] = [[] for _ in graph.tensors]
        for number, op in enumerate(graph.operators):
            for access in op.reads:
                self._accesses[access.tensor].append((number, access, False))
            for access in op.writes:
                self._accesses[access.tensor].append((number, access, True))
        self._first = [self._first_writer(t) for t in range(len(graph.tensors))]
        self._last = [self._last_user(t) for t in range(len(graph.tensors))]

    def peak(self, segment: Segment) -> Peak:
        """Return the most live bytes of a segment."""
        order = Points(self._graph, segment)
        change = np.zeros(order.count + 1, np.int64)
        for lives in self.rows(segment, order):
            size = self._graph.tensors[lives.tensor].row_bytes
            np.add.at(change, lives.begin, size)
            np.add.at(change, lives.end, -size)
        for number, (begin, end) in order.accumulators():
            size = self._graph.operators[number].accumulators
            change[begin] += size
            change[end] -= size
        live = np.cumsum(change[:-1])
        at = int(live.argmax())
        return Peak(int(live[at]), *order.step_at(at))

    def held_at(self, cut: int) -> int:
        """Return the bytes that are live between operators `cut - 1` and `cut`."""
        total = 0
        for tensor, first, last in zip(self._graph.tensors, self._first, self._last, strict=True):
            total += int(((first < cut) & (last >= cut)).sum()) * tensor.row_bytes
        return total

    def rows(self, segment: Segment, order: Points) -> Iterator[RowLives]:
        """Yield the lives of the rows of every planned tensor that is live in the segment."""
        for number, tensor in enumerate(self._graph.tensors):
            first, last = self._first[number], self._last[number]
            if not tensor.row_bytes or not len(first):
                continue
            if last.max() < segment.start or first.min() >= segment.stop:
                continue
            begin = np.where(first < segment.start, 0, NEVER)
            end = np.where(last >= segment.stop, order.count, 0)
            for operator, access, writes in self._accesses[number]:
                if segment.start <= operator < segment.stop:
                    if writes:
                        np.minimum(begin, order.first(operator, access, tensor.rows), out=begin)
                    np.maximum(end, order.last(operator, access, tensor.rows) + 1, out=end)
            live = (begin < end) & (last >= segment.start)
            yield RowLives(number, np.where(live, begin, 0), np.where(live, end, 0))

    def _first_writer(self, tensor: int) -> Array:
        """Return the operator at which each row becomes live; -1 for inputs."""
        rows = self._graph.tensors[tensor].rows
        if self._graph.tensors[tensor].is_input:
            return np.full(rows, -1, np.int64)
        first = np.full(rows, NEVER, np.int64)
        for operator, access, writes in self._accesses[tensor]:
            if writes:
                used = first_steps(access, rows) >= 0
                first[used] = np.minimum(first[used], operator)
        return first

    def _last_user(self, tensor: int) -> Array:
        """Return the operator at which each row dies."""
        rows = self._graph.tensors[tensor].rows
        if self._graph.tensors[tensor].is_output:
            return np.full(rows, NEVER, np.int64)
        last = np.full(rows, -1, np.int64)
        for operator, access, _ in self._accesses[tensor]:
            used = first_steps(access, rows) >= 0
            last[used] = np.maximum(last[used], operator)
        return last


class Points:
    """The program points of a segment: the place of each step in the order."""

    def __init__(self, graph: RowGraph, segment: Segment) -> None:
        self._segment = segment
        self._graph = graph
        numbers = range(segment.start, segment.stop)
        if not segment.by_rows:
            self.count = 1
            return
        steps = [graph.operators[k].steps for k in numbers]
        operator = np.repeat(np.arange(len(steps)), steps)
        step = np.concatenate([np.arange(count) for count in steps])
        tick = np.asarray(segment.rates)[operator] * step + np.asarray(segment.skews)[operator]
        order = np.lexsort((operator, tick))
        self.count = len(order)
        self._order = order
        self._operator, self._step = operator, step
        point = np.empty(self.count, np.int64)
        point[order] = np.arange(self.count)
        ends = np.cumsum(steps)
        self._points = [point[end - size : end] for end, size in zip(ends, steps, strict=True)]

    def of(self, operator: int) -> Array:
        """Return the points of the steps of an operator."""
        return self._points[operator - self._segment.start]

    def first(self, operator: int, access: RowAccess, rows: int) -> Array:
        """Return the point of the first step that accesses each row; `NEVER` if none does."""
        steps = first_steps(access, rows)
        if not self._segment.by_rows:
            return np.where(steps >= 0, 0, NEVER)
        return np.where(steps >= 0, self.of(operator)[steps], NEVER)

    def last(self, operator: int, access: RowAccess, rows: int) -> Array:
        """Return the point of the last step that accesses each row; -1 if none does."""
        steps = last_steps(access, rows)
        if not self._segment.by_rows:
            return np.where(steps >= 0, 0, -1)
        return np.where(steps >= 0, self.of(operator)[steps], -1)

    def accumulators(self) -> Iterator[tuple[int, tuple[int, int]]]:
        """Yield the operators with accumulators, and the points at which these are live."""
        for number in range(self._segment.start, self._segment.stop):
            if self._segment.by_rows and self._graph.operators[number].accumulators:
                points = self.of(number)
                yield number, (int(points[0]), int(points[-1]) + 1)

    def step_at(self, point: int) -> tuple[int, int]:
        """Return the operator and the step that run at a point."""
        if not self._segment.by_rows:
            return self._segment.start, 0
        at = self._order[point]
        return self._segment.start + int(self._operator[at]), int(self._step[at])
