"""Row graphs made by hand and at random, and a simulation of schedules with sets of rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from forebay.cascade.graph import RowAccess, RowGraph, RowOperator, RowTensor
from forebay.cascade.schedule import Segment
from forebay.regions import Span


@dataclass
class GraphMaker:
    """Adds operators one by one; a tensor is its number."""

    tensors: list[RowTensor] = field(default_factory=list)
    operators: list[RowOperator] = field(default_factory=list)

    def tensor(self, rows: int, row_bytes: int, **flags: bool) -> int:
        """Add a tensor."""
        self.tensors.append(RowTensor(f"t{len(self.tensors)}", rows, row_bytes, **flags))
        return len(self.tensors) - 1

    def window(
        self,
        source: int,
        row_bytes: int,
        kernel: int,
        stride: int = 1,
        pad: int = 0,
        *,
        dilation: int = 1,
    ) -> int:
        """Add a convolution or pooling over rows; the result has the rows that TFLite gives it."""
        rows = self.tensors[source].rows
        count = max(1, (rows + 2 * pad - (kernel - 1) * dilation - 1) // stride + 1)
        result = self.tensor(count, row_bytes)
        windows = [
            [row for k in range(kernel) if 0 <= (row := y * stride - pad + k * dilation) < rows]
            for y in range(count)
        ]
        spans = tuple(Span(w[0], w[-1] + 1) if w else Span(0, 0) for w in windows)
        self.add([RowAccess(source, spans, dilation)], [RowAccess(result, _each(count))])
        return result

    def repeat(self, source: int, times: int) -> int:
        """Add a resize that repeats rows."""
        rows, size = self.tensors[source].rows, self.tensors[source].row_bytes
        result = self.tensor(rows * times, size)
        spans = tuple(Span(y // times, y // times + 1) for y in range(rows * times))
        self.add([RowAccess(source, spans)], [RowAccess(result, _each(rows * times))])
        return result

    def sum(self, one: int, two: int) -> int:
        """Add an addition of equal tensors, which may be in place."""
        rows = self.tensors[one].rows
        result = self.tensor(rows, self.tensors[one].row_bytes)
        reads = [RowAccess(t, _each(rows)) for t in dict.fromkeys((one, two))]
        self.add(reads, [RowAccess(result, _each(rows))], in_place=(one, two))
        return result

    def join(self, one: int, two: int) -> int:
        """Add two copies into parts of each row of one tensor."""
        rows = self.tensors[one].rows
        result = self.tensor(rows, self.tensors[one].row_bytes + self.tensors[two].row_bytes)
        for source in (one, two):
            self.add([RowAccess(source, _each(rows))], [RowAccess(result, _each(rows))])
        return result

    def mean(self, source: int, accumulators: int = 8) -> int:
        """Add a reduction over all rows to one row."""
        rows = self.tensors[source].rows
        result = self.tensor(1, self.tensors[source].row_bytes)
        written = (*[Span(0, 0)] * (rows - 1), Span(0, 1))
        self.add(
            [RowAccess(source, _each(rows))],
            [RowAccess(result, written)],
            accumulators=accumulators,
        )
        return result

    def whole(self, source: int, row_bytes: int) -> int:
        """Add an operator of one step."""
        rows = self.tensors[source].rows
        result = self.tensor(1, row_bytes)
        self.add([RowAccess(source, (Span(0, rows),))], [RowAccess(result, (Span(0, 1),))])
        return result

    def add(self, reads, writes, **more) -> None:
        """Add an operator."""
        name = f"op{len(self.operators)}"
        self.operators.append(RowOperator(name, tuple(reads), tuple(writes), **more))

    def graph(self) -> RowGraph:
        """Return the graph."""
        return RowGraph(tuple(self.tensors), tuple(self.operators))


def _rows(access: RowAccess, step: int) -> range:
    """Return the rows that a step accesses."""
    span = access.spans[step]
    return range(span.start, span.stop, access.distance)


def _each(rows: int) -> tuple[Span, ...]:
    return tuple(Span(y, y + 1) for y in range(rows))


def random_graph(seed: int, operators: int = 6) -> RowGraph:
    """Return a graph with branches, strides, sums, joins, resizes and means."""
    random, maker = Random(seed), GraphMaker()
    tensors = [maker.tensor(random.randint(4, 9), random.randint(1, 4), is_input=True)]
    while len(maker.operators) < operators:
        source = random.choice(tensors[-3:])
        rows = maker.tensors[source].rows
        kind = random.choice("wwwwssjrm1")
        same = [t for t in tensors if t != source and maker.tensors[t].rows == rows]
        if kind == "s":
            same = [
                t for t in same if maker.tensors[t].row_bytes == maker.tensors[source].row_bytes
            ]
        if kind in "sj" and same:
            other = random.choice(same)
            made = maker.sum(source, other) if kind == "s" else maker.join(source, other)
        elif kind == "r" and rows < 9:
            made = maker.repeat(source, 2)
        elif kind == "m" and rows > 1:
            made = maker.mean(source)
        elif kind == "1":
            made = maker.whole(source, random.randint(1, 9))
        else:
            kernel = random.randint(1, min(4, rows))
            made = maker.window(
                source,
                random.randint(1, 4),
                kernel,
                random.randint(1, 3),
                random.randint(0, kernel // 2),
                dilation=random.choice([1, 1, 2, 3]),
            )
        tensors.append(made)
    last = len(maker.tensors) - 1
    maker.tensors[last] = RowTensor(
        "out", maker.tensors[last].rows, maker.tensors[last].row_bytes, is_output=True
    )
    return maker.graph()


def steps_of(graph: RowGraph, segments: tuple[Segment, ...]) -> list[list[tuple[int, int]]]:
    """Return the program points of segments in order: the (operator, step) pairs of each."""
    points: list[list[tuple[int, int]]] = []
    for segment in segments:
        if not segment.by_rows:
            points.append([(segment.start, s) for s in range(graph.operators[segment.start].steps)])
            continue
        for tick in range(segment.ticks):
            for number in range(segment.start, segment.stop):
                rate, skew = (
                    values[number - segment.start] for values in (segment.rates, segment.skews)
                )
                step, rest = divmod(tick - skew, rate)
                if rest == 0 and 0 <= step < graph.operators[number].steps:
                    points.append([(number, step)])
    return points


def simulate(graph: RowGraph, segments: tuple[Segment, ...]) -> int:
    """Run a schedule with the values of rows; return the most live bytes.

    Raises `AssertionError` if a step reads a row that is not what the operators one after the other
    would have left there, or if a step is missing.
    """
    points = steps_of(graph, segments)
    ran = [pair for point in points for pair in point]
    expected = [(n, s) for n, op in enumerate(graph.operators) for s in range(op.steps)]
    assert sorted(ran) == expected
    assert _values(graph, ran) == _values(graph, expected)
    return _most_live(graph, points, segments)


def _values(graph: RowGraph, order: list[tuple[int, int]]) -> dict[tuple[int, int], object]:
    """Return what each step reads: the history of writes of each row, in the order of the steps."""
    history: dict[tuple[int, int], tuple] = {}
    seen: dict[tuple[int, int], object] = {}
    for number, step in order:
        op = graph.operators[number]
        seen[number, step] = tuple(
            history.get((access.tensor, row))
            for access in (*op.reads, *op.writes)
            for row in _rows(access, step)
        )
        for access in op.writes:
            for row in _rows(access, step):
                key = access.tensor, row
                history[key] = tuple(sorted((*history.get(key, ()), (number, step))))
    return seen


def _most_live(graph: RowGraph, points, segments) -> int:
    uses: dict[tuple[int, int], list[int]] = {}
    writes: dict[tuple[int, int], list[int]] = {}
    waiting: dict[int, list[int]] = {}
    by_rows = {n for s in segments if s.by_rows for n in range(s.start, s.stop)}
    for time, point in enumerate(points):
        for number, step in point:
            op = graph.operators[number]
            for access in (*op.reads, *op.writes):
                for row in _rows(access, step):
                    uses.setdefault((access.tensor, row), []).append(time)
                    if access in op.writes:
                        writes.setdefault((access.tensor, row), []).append(time)
            if op.accumulators and number in by_rows:
                waiting.setdefault(number, []).append(time)
    live = [0] * len(points)
    for (tensor, _), times in uses.items():
        one = graph.tensors[tensor]
        begin = 0 if one.is_input else min(writes.get((tensor, _), times))
        end = len(points) - 1 if one.is_output else max(times)
        for time in range(begin, end + 1):
            live[time] += one.row_bytes
    for number, times in waiting.items():
        for time in range(min(times), max(times) + 1):
            live[time] += graph.operators[number].accumulators
    return max(live, default=0)
