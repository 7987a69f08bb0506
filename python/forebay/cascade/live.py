"""The lifetimes of rows in a schedule, and the bytes that are live together.

Each step is one program point; the points of a segment are in the order of ticks, and those of a
tick in the order of the operators. An operator that runs as a whole is one point.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from forebay.cascade.graph import RowGraph
from forebay.cascade.schedule import NEVER, Segment
from forebay.support.arrays import Array, Arrays


@dataclass(frozen=True)
class Peak:
    """The most bytes that are live at one point, and the operator and step that run there."""

    bytes: int
    operator: int
    step: int


class LiveRows:
    """The live rows of segments of one graph.

    The rows of all tensors, and the steps of all operators, are numbered one after the other.
    """

    def __init__(self, graph: RowGraph) -> None:
        self._graph = graph
        rows = [tensor.rows if tensor.row_bytes else 0 for tensor in graph.tensors]
        self._row_of_tensor = np.cumsum([0, *rows])
        self._bytes = np.repeat([tensor.row_bytes for tensor in graph.tensors], rows)
        self._step_of_operator = np.cumsum([0, *(op.steps for op in graph.operators)])
        self._writes = _joined([self._accesses(n, writes=True) for n in range(self._operators)])
        self._uses = _joined([self._accesses(n, writes=False) for n in range(self._operators)])
        self._first, self._last = self._ends()

    def peak(self, segment: Segment) -> Peak:
        """Return the most live bytes of a segment."""
        points, count = self._points(segment)
        begin = np.where(self._first < segment.start, 0, NEVER)
        end = np.where(self._last >= segment.stop, count, 0)
        rows, steps = self._writes.between(segment)
        np.minimum.at(begin, rows, points[steps - self._step_of_operator[segment.start]])
        rows, steps = self._uses.between(segment)
        np.maximum.at(end, rows, points[steps - self._step_of_operator[segment.start]] + 1)
        live = (begin < end) & (self._last >= segment.start)
        change = np.bincount(begin[live], self._bytes[live], count + 1)
        change -= np.bincount(end[live], self._bytes[live], count + 1)
        for size, first, last in self._accumulators(segment, points):
            change[first] += size
            change[last + 1] -= size
        bytes_ = np.cumsum(change[:-1])
        at = int(bytes_.argmax())
        step = int((points == at).argmax()) + int(self._step_of_operator[segment.start])
        operator = int(self._step_of_operator.searchsorted(step, side="right")) - 1
        return Peak(int(bytes_[at]), operator, step - int(self._step_of_operator[operator]))

    def held_at(self, cut: int) -> int:
        """Return the bytes that are live between operators `cut - 1` and `cut`."""
        return int(self._bytes[(self._first < cut) & (self._last >= cut)].sum())

    @property
    def _operators(self) -> int:
        return len(self._graph.operators)

    def _points(self, segment: Segment) -> tuple[Array, int]:
        """Return the point of each step of a segment, and the number of points."""
        offsets = self._step_of_operator[segment.start : segment.stop + 1]
        sizes = np.diff(offsets)
        if not segment.by_rows:
            return np.zeros(sizes[0], np.int64), 1
        step = np.arange(offsets[-1] - offsets[0]) - np.repeat(offsets[:-1] - offsets[0], sizes)
        tick = np.repeat(segment.rates, sizes) * step + np.repeat(segment.skews, sizes)
        order = np.argsort(tick, kind="stable")  # steps of one tick are in the order of operators
        points = np.empty_like(order)
        points[order] = np.arange(len(order))
        return points, len(points)

    def _accumulators(self, segment: Segment, points: Array) -> Iterator[tuple[int, int, int]]:
        """Yield the bytes of accumulators, and the first and the last point that they live at."""
        for number in range(segment.start, segment.stop if segment.by_rows else segment.start):
            if self._graph.operators[number].accumulators:
                offset = self._step_of_operator[segment.start]
                first, stop = self._step_of_operator[number : number + 2] - offset
                size = self._graph.operators[number].accumulators
                yield size, int(points[first]), int(points[stop - 1])

    def _accesses(self, number: int, *, writes: bool) -> Arrays:
        """Return the rows that an operator writes, or uses, with the step that does so first, or
        last."""
        op = self._graph.operators[number]
        rows: list[Array] = [np.zeros(0, np.int64)]
        steps: list[Array] = [np.zeros(0, np.int64)]
        for access in op.writes if writes else (*op.reads, *op.writes):
            if self._graph.tensors[access.tensor].row_bytes:
                at = access.steps.first if writes else access.steps.last
                rows.append(access.steps.rows + self._row_of_tensor[access.tensor])
                steps.append(at + self._step_of_operator[number])
        return np.concatenate(rows), np.concatenate(steps)

    def _ends(self) -> tuple[Array, Array]:
        """Return the operators at which each row becomes live and dies.

        The first one is -1 for inputs, and the last one `NEVER` for outputs.
        """
        first, last = np.full(len(self._bytes), NEVER), np.full(len(self._bytes), -1)
        np.minimum.at(first, self._writes.rows, self._writes.operators)
        np.maximum.at(last, self._uses.rows, self._uses.operators)
        for number, tensor in enumerate(self._graph.tensors):
            rows = slice(*self._row_of_tensor[number : number + 2])
            if tensor.is_input:
                first[rows] = -1
            if tensor.is_output:
                last[rows] = NEVER
        return first, last


@dataclass(frozen=True, eq=False)
class _Accesses:
    """Rows and steps of the accesses of all operators, in the order of these."""

    rows: Array
    steps: Array
    operators: Array
    ends: Array

    def between(self, segment: Segment) -> tuple[Array, Array]:
        """Return the rows and steps of the operators of a segment."""
        inside = slice(self.ends[segment.start], self.ends[segment.stop])
        return self.rows[inside], self.steps[inside]


def _joined(accesses: list[Arrays]) -> _Accesses:
    """Return the rows and steps of operators one after the other."""
    sizes = [len(rows) for rows, _ in accesses]
    none = (np.zeros(0, np.int64),) * 2
    rows, steps = (np.concatenate(arrays) for arrays in zip(none, *accesses, strict=True))
    operators = np.repeat(np.arange(len(accesses)), sizes)
    return _Accesses(rows, steps, operators, np.cumsum([0, *sizes]))
