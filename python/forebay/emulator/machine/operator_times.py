"""The modelled time of each operator: its cycles, its utilisation, and the lane that bounds it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from forebay.emulator.machine.timeline import Timeline


@dataclass(frozen=True)
class OperatorTime:
    """The time of the work that one location of the program requests.

    `cycles` counts the cycles in which at least one lane works for it; operators may overlap, so
    their sum may exceed the cycles of the run. `busy` has the cycles of each lane, and `bound` is
    the busiest one.
    """

    location: str
    cycles: int
    busy: Mapping[str, int]

    @property
    def bound(self) -> str:
        """The lane that works longest; the first of several."""
        return max(self.busy, key=lambda lane: self.busy[lane])


def operator_times(timeline: Timeline) -> list[OperatorTime]:
    """Return the time of each location with modelled work, in the order of their first work."""
    intervals: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    busy: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for span in timeline.spans:
        if span.end > span.begin and not span.is_blocked:
            location = span.work.location
            intervals[location].append((span.begin, span.end))
            busy[location][span.lane] += span.end - span.begin
    return [
        OperatorTime(location, _covered(found), dict(busy[location]))
        for location, found in intervals.items()
    ]


def _covered(intervals: Iterable[tuple[int, int]]) -> int:
    """Return the number of cycles in at least one interval."""
    covered = last = 0
    for begin, end in sorted(intervals):
        covered += max(0, end - max(begin, last))
        last = max(last, end)
    return covered
