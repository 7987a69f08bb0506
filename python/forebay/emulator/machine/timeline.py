"""Modelled time: the cycles in which each device and queue is busy, and the host's waits.

Lanes run in parallel. A started operation begins when its queue is free and the operations that it
is ordered after have ended. A call blocks the host as well. Computation on the host takes no time::

    host     | call ...... |        | wait ... |
    npu.load |    | mvin ...... | mvin ...... |
    npu.run                 | gemm ....... |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

HOST = "host"
"""The host's lane."""


@dataclass(frozen=True)
class Work:
    """A piece of work of `cycles`: its name, the location of the requesting op, and bytes moved."""

    name: str
    location: str
    cycles: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class TimelineInterval:
    """The cycles `[begin, end)` of a lane; the host issued the work in cycle `issued`."""

    lane: str
    work: Work
    begin: int
    end: int
    issued: int


@dataclass
class Timeline:
    """All intervals of a run in the order in which the host issued them."""

    spans: list[TimelineInterval] = field(default_factory=list[TimelineInterval])
    _free: dict[str, int] = field(default_factory=dict[str, int])
    _now: int = 0

    def clear(self) -> None:
        """Reset to cycle 0."""
        self.spans.clear()
        self._free.clear()
        self._now = 0

    @property
    def cycles(self) -> int:
        """Return the cycle in which the last work ends."""
        return max((self._now, *self._free.values()))

    @property
    def lanes(self) -> tuple[str, ...]:
        """Return all lanes in the order of their first use."""
        return tuple(dict.fromkeys(span.lane for span in self.spans))

    def busy(self, lane: str) -> int:
        """Return the number of cycles in which the lane is busy."""
        return sum(span.end - span.begin for span in self.spans if span.lane == lane)

    def by_op(self) -> Counter[tuple[str, str]]:
        """Return the cycles of work by location and name, without the host's lane."""
        counts: Counter[tuple[str, str]] = Counter()
        for span in self.spans:
            if span.lane != HOST:
                counts[span.work.location, span.work.name] += span.end - span.begin
        return counts

    def call(self, work: Work, lane: str) -> None:
        """Run the work on a lane while the host waits."""
        end = self.start(work, lane)
        self.spans.append(TimelineInterval(HOST, work, self._now, end, self._now))
        self._now = end

    def start(self, work: Work, lane: str, after: Iterable[int] = ()) -> int:
        """Append the work to the lane and return its end; `after` are the ends of earlier work."""
        begin = max((self._now, self._free.get(lane, 0), *after))
        end = begin + work.cycles
        self._free[lane] = end
        self.spans.append(TimelineInterval(lane, work, begin, end, self._now))
        return end

    def note(self, work: Work) -> None:
        """Record computation on the host, which takes no time."""
        self.spans.append(TimelineInterval(HOST, work, self._now, self._now, self._now))

    def wait(self, until: int, work: Work) -> None:
        """Block the host until a cycle, which may already be over."""
        end = max(self._now, until)
        self.spans.append(TimelineInterval(HOST, work, self._now, end, self._now))
        self._now = end
