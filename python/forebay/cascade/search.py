"""The cuts of a graph into segments: the fewest bytes, and the least work within a budget.

A plan is a path over the cuts between operators: from cut `i` to cut `j` lead the loop over the
rows of the operators `[i, j)`, and for one operator also its run as a whole. The bytes of a plan
are those of its largest segment. A segment has at least the bytes of the tensors at its ends, and
the work of one tick per step; it is not looked at where this is too much.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import add
from typing import NamedTuple

from forebay.cascade.graph import RowGraph, RowOperator
from forebay.cascade.live import LiveRows, Peak
from forebay.cascade.paths import Edge, best_path
from forebay.cascade.schedule import Scheduler, Segment
from forebay.cascade.sources import RowSource
from forebay.cascade.steps import UNLIMITED


@dataclass(frozen=True)
class CascadePlan:
    """Segments in order, the most live bytes of all of them, and the work that loops add."""

    segments: tuple[Segment, ...]
    bytes: int
    work: int

    @property
    def loops(self) -> int:
        """Return the number of loops over rows."""
        return sum(segment.by_rows for segment in self.segments)

    @property
    def operators(self) -> int:
        """Return the number of operators in these loops."""
        return sum(s.stop - s.start for s in self.segments if s.by_rows)


class CascadeSearch:
    """Searches the segments of one graph; the peaks of segments are computed once.

    No plan but `layer_wise` and `one_by_one` holds all rows of a source at once.
    """

    def __init__(self, graph: RowGraph, sources: Sequence[RowSource] = ()) -> None:
        self.graph = graph
        self.sources = tuple(sources)
        self.live = LiveRows(graph)
        self.held = [self.live.held_at(cut) for cut in range(len(graph.operators) + 1)]
        """The bytes that are live at each cut."""
        self._accesses = [_rows_accessed(op) for op in graph.operators]
        self._scheduler = Scheduler(graph)
        self._last_ends = _last_ends(graph)
        self._loops: dict[tuple[int, int], Segment] = {}
        self._peaks: dict[Segment, Peak] = {}
        self._least_works: dict[int, Sequence[int]] = {}

    def layer_wise(self) -> CascadePlan:
        """Return the plan without loops over rows."""
        segments = tuple(map(self._scheduler.whole, range(len(self.graph.operators))))
        return self._plan(segments)

    def cheapest(self) -> CascadePlan | None:
        """Return the plan of the least work; None if all rows of a source are needed at once."""
        return self.within(UNLIMITED) if self.sources else self.layer_wise()

    def one_by_one(self, budget: int) -> CascadePlan:
        """Return the plan in which operators run by rows where they are above a budget as a whole.

        No two operators are in one loop.
        """
        chosen: list[Segment] = []
        for number in range(len(self.graph.operators)):
            choices = [self.segment(edge) for edge in self.edges_from(number, number + 1)]
            within = [segment for segment in choices if self.peak(segment).bytes <= budget]
            least = min(choices, key=lambda segment: self.peak(segment).bytes)
            chosen.append(within[0] if within else least)
        return self._plan(tuple(chosen))

    def smallest(self) -> CascadePlan:
        """Return the plan of the fewest live bytes, and of the least work among those."""
        found = best_path(_ByBytes(self), len(self.graph.operators), max)
        plan = None if found is None else self.within(found[0])
        if plan is None:
            raise AssertionError("no plan has the fewest bytes")
        return plan

    def within(self, budget: int) -> CascadePlan | None:
        """Return the plan of the least work whose live bytes are within a budget, or None."""
        found = best_path(_ByWork(self, budget), len(self.graph.operators), add)
        return None if found is None else self._plan(tuple(map(self.segment, found[1])))

    def loop(self, start: int, stop: int) -> Segment | None:
        """Return the loop over the rows of the operators `[start, stop)`, if there is one."""
        edges = self.edges_from(start, stop)
        return next((self.segment(e) for e in edges if e.by_rows and e.stop == stop), None)

    def edges_from(self, cut: int, last: int | None = None) -> Iterator[Edge]:
        """Yield the edges of one segment from a cut, up to a last one."""
        yield Edge(cut, cut + 1, by_rows=False)
        last = self._last_ends[cut] if last is None else min(last, self._last_ends[cut])
        for stop in range(cut + 1, last + 1):
            if stop > cut + 1 or self.graph.operators[cut].steps > 1:
                yield Edge(cut, stop, by_rows=True)

    def segment(self, edge: Edge) -> Segment:
        """Return the segment of an edge."""
        if not edge.by_rows:
            return self._scheduler.whole(edge.start)
        key = edge.start, edge.stop
        if key not in self._loops:
            self._loops[key] = self._scheduler.segment(*key)
        return self._loops[key]

    def is_streamed(self, edge: Edge) -> bool:
        """Return whether each source among the operators of an edge is read row by row."""
        inside = [source for source in self.sources if edge.start <= source.operator < edge.stop]
        return all(source.is_streamed(self.segment(edge)) for source in inside)

    def peak(self, segment: Segment) -> Peak:
        """Return the most live bytes of a segment."""
        if segment not in self._peaks:
            self._peaks[segment] = self.live.peak(segment)
        return self._peaks[segment]

    def work(self, segment: Segment) -> int:
        """Return an estimate of the instructions that a segment adds to its operators' own."""
        if not segment.by_rows:
            return 0
        accesses = sum(self._accesses[segment.start : segment.stop])
        return _work(segment.ticks, segment.stop - segment.start, accesses)

    def least_works(self, cut: int) -> Sequence[int]:
        """Return the work of the loops from a cut to each later one, with the fewest ticks."""
        if cut not in self._least_works:
            inside = slice(cut, self._last_ends[cut])
            ticks = accumulate((op.steps for op in self.graph.operators[inside]), max)
            accesses = accumulate(self._accesses[inside])
            both = enumerate(zip(ticks, accesses, strict=True), 1)
            self._least_works[cut] = [_work(least, count, rows) for count, (least, rows) in both]
        return self._least_works[cut]

    def _plan(self, segments: tuple[Segment, ...]) -> CascadePlan:
        peak = max((self.peak(segment).bytes for segment in segments), default=0)
        return CascadePlan(segments, peak, sum(map(self.work, segments)))


class _ByBytes(NamedTuple):
    """The graph of cuts; an edge costs its live bytes."""

    search: CascadeSearch

    def edges_from(self, cut: int) -> Iterator[tuple[Edge, int]]:
        """Yield the edges from a cut with the bytes of the tensors at their ends."""
        held = self.search.held
        for edge in self.search.edges_from(cut):
            yield edge, max(held[cut], held[edge.stop])

    def cost(self, edge: Edge) -> int:
        """Return the live bytes of a segment."""
        return self.search.peak(self.search.segment(edge)).bytes

    def may_use(self, edge: Edge) -> bool:
        """Return whether a segment reads sources row by row."""
        return self.search.is_streamed(edge)


class _ByWork(NamedTuple):
    """The graph of cuts within a budget; an edge costs its work."""

    search: CascadeSearch
    budget: int

    def edges_from(self, cut: int) -> Iterator[tuple[Edge, int]]:
        """Yield the edges from a cut with the work of a loop of as few ticks as possible."""
        held, least = self.search.held, self.search.least_works(cut)
        if held[cut] <= self.budget:
            for edge in self.search.edges_from(cut):
                if held[edge.stop] <= self.budget:
                    yield edge, least[edge.stop - cut - 1] if edge.by_rows else 0

    def cost(self, edge: Edge) -> int:
        """Return the work of a segment."""
        return self.search.work(self.search.segment(edge))

    def may_use(self, edge: Edge) -> bool:
        """Return whether a segment is within the budget and reads sources row by row."""
        segment = self.search.segment(edge)
        return self.search.is_streamed(edge) and self.search.peak(segment).bytes <= self.budget


def _last_ends(graph: RowGraph) -> list[int]:
    """Return the last end of a segment by its beginning: no loop has a fixed operator."""
    ends: list[int] = []
    end = len(graph.operators)
    for number, op in reversed(list(enumerate(graph.operators))):
        ends.append(number + 1 if op.is_fixed else end)
        end = number if op.is_fixed else end
    return ends[::-1]


def _rows_accessed(op: RowOperator) -> int:
    return sum(sum(access.counts) for access in (*op.reads, *op.writes))


def _work(ticks: int, operators: int, accesses: int) -> int:
    return _GUARD * ticks * operators + _ROW * accesses


_GUARD = 6
"""Instructions of an operator's guard in one tick."""
_ROW = 8
"""Instructions for the address of one row."""
