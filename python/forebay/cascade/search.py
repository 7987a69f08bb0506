"""The cuts of a graph into segments: the fewest bytes, and the least work within a budget.

A plan is a path over the cuts between operators: from cut `i` to cut `j` lead the loop over the
rows of the operators `[i, j)`, and for one operator also its run as a whole. The bytes of a plan
are those of its largest segment, so the least bytes follow from the paths to each cut. A segment
is not looked at where the tensors at its ends alone are too large.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from forebay.cascade.graph import RowGraph
from forebay.cascade.live import LiveRows, Peak
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
        self._scheduler = Scheduler(graph)
        fixed = [number for number, op in enumerate(graph.operators) if op.is_fixed]
        self._first = [
            max((n + 1 for n in fixed if n < stop - 1), default=0)
            if not graph.operators[stop - 1].is_fixed
            else stop - 1
            for stop in range(1, len(graph.operators) + 1)
        ]
        """The least beginning of a segment by its end minus 1: none has a fixed operator."""
        self._held = [self.live.held_at(cut) for cut in range(len(graph.operators) + 1)]
        self._segments: dict[tuple[int, int], Segment] = {}
        self._peaks: dict[Segment, Peak] = {}

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
            choices = self._all_choices(number, number + 1)
            within = [segment for segment in choices if self.peak(segment).bytes <= budget]
            least = min(choices, key=lambda segment: self.peak(segment).bytes)
            chosen.append(within[0] if within else least)
        return self._plan(tuple(chosen))

    def smallest(self) -> CascadePlan:
        """Return the plan of the fewest live bytes, and of the least work among those."""
        count = len(self.graph.operators)
        least = [0, *[UNLIMITED] * count]
        limit = UNLIMITED if self.sources else self.layer_wise().bytes
        for stop in range(1, count + 1):
            for start in range(stop - 1, self._first[stop - 1] - 1, -1):
                floor = max(least[start], self._held[start], self._held[stop])
                if floor < least[stop] and floor <= limit:
                    peaks = (self.peak(s).bytes for s in self._choices(start, stop))
                    peak = min(peaks, default=UNLIMITED)
                    least[stop] = min(least[stop], max(floor, peak))
        plan = self.within(least[count])
        if plan is None:
            raise AssertionError("the search lost its own path")
        return plan

    def within(self, budget: int) -> CascadePlan | None:
        """Return the plan of the least work whose live bytes are within a budget, or None."""
        count = len(self.graph.operators)
        best: list[tuple[int, tuple[Segment, ...]] | None] = [(0, ()), *[None] * count]
        for stop in range(1, count + 1):
            for start in range(stop - 1, self._first[stop - 1] - 1, -1):
                before = best[start]
                if before is None or max(self._held[start], self._held[stop]) > budget:
                    continue
                for segment in self._choices(start, stop):
                    work = before[0] + self.work(segment)
                    old = best[stop]
                    if old is not None and work >= old[0]:
                        continue
                    if self.peak(segment).bytes <= budget:
                        best[stop] = work, (*before[1], segment)
        found = best[count]
        return None if found is None else self._plan(found[1])

    def loop(self, start: int, stop: int) -> Segment | None:
        """Return the loop over the rows of the operators `[start, stop)`, if there is one."""
        if start < self._first[stop - 1]:
            return None
        return next((s for s in self._all_choices(start, stop) if s.by_rows), None)

    def peak(self, segment: Segment) -> Peak:
        """Return the most live bytes of a segment."""
        if segment not in self._peaks:
            self._peaks[segment] = self.live.peak(segment)
        return self._peaks[segment]

    def work(self, segment: Segment) -> int:
        """Return an estimate of the instructions that a segment adds to its operators' own."""
        if not segment.by_rows:
            return 0
        operators = self.graph.operators[segment.start : segment.stop]
        accesses = sum(
            span.size for op in operators for a in (*op.reads, *op.writes) for span in a.spans
        )
        return _GUARD * segment.ticks * len(operators) + _ROW * accesses

    def _choices(self, start: int, stop: int) -> list[Segment]:
        """Return the segments of operators in which each source is read row by row."""
        inside = [source for source in self.sources if start <= source.operator < stop]
        return [s for s in self._all_choices(start, stop) if all(o.is_streamed(s) for o in inside)]

    def _all_choices(self, start: int, stop: int) -> list[Segment]:
        if (start, stop) not in self._segments:
            self._segments[start, stop] = self._scheduler.segment(start, stop)
        loop = self._segments[start, stop]
        if stop - start > 1:
            return [loop]
        whole = self._scheduler.whole(start)
        return [whole, loop] if self.graph.operators[start].steps > 1 else [whole]

    def _plan(self, segments: tuple[Segment, ...]) -> CascadePlan:
        peak = max((self.peak(segment).bytes for segment in segments), default=0)
        return CascadePlan(segments, peak, sum(map(self.work, segments)))


_GUARD = 6
"""Instructions of an operator's guard in one tick."""
_ROW = 8
"""Instructions for the address of one row."""
