"""Modelled time: what each device and queue does in which cycles, and when the host waits.

Lanes run beside each other. What is started takes its turn in its queue, behind what it was told
to be after; what is called holds up the host too; what the host computes itself takes no time::

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
    """What takes `cycles`: the name of what runs, the op that asked for it, and bytes moved."""

    name: str
    location: str
    cycles: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class TimelineInterval:
    """A lane's cycles `[begin, end)`; `issued` is the cycle in which the host asked for it."""

    lane: str
    work: Work
    begin: int
    end: int
    issued: int


@dataclass
class Timeline:
    """All spans of a run in the order in which the host asked for them."""

    spans: list[TimelineInterval] = field(default_factory=list[TimelineInterval])
    _free: dict[str, int] = field(default_factory=dict[str, int])
    _now: int = 0

    def clear(self) -> None:
        """Begin at cycle 0."""
        self.spans.clear()
        self._free.clear()
        self._now = 0

    @property
    def cycles(self) -> int:
        """When the last of it ends."""
        return max((self._now, *self._free.values()))

    @property
    def lanes(self) -> tuple[str, ...]:
        """All lanes, in the order in which they were used first."""
        return tuple(dict.fromkeys(span.lane for span in self.spans))

    def busy(self, lane: str) -> int:
        """In how many cycles the lane did something."""
        return sum(span.end - span.begin for span in self.spans if span.lane == lane)

    def by_op(self) -> Counter[tuple[str, str]]:
        """Cycles of work by location and name; those of the host's lane are left out."""
        counts: Counter[tuple[str, str]] = Counter()
        for span in self.spans:
            if span.lane != HOST:
                counts[span.work.location, span.work.name] += span.end - span.begin
        return counts

    def call(self, work: Work, lane: str) -> None:
        """Run it, the host waiting."""
        end = self.start(work, lane)
        self.spans.append(TimelineInterval(HOST, work, self._now, end, self._now))
        self._now = end

    def start(self, work: Work, lane: str, after: Iterable[int] = ()) -> int:
        """Give it to the lane; when it ends. `after` are cycles in which others end."""
        begin = max((self._now, self._free.get(lane, 0), *after))
        end = begin + work.cycles
        self._free[lane] = end
        self.spans.append(TimelineInterval(lane, work, begin, end, self._now))
        return end

    def note(self, work: Work) -> None:
        """What the host computes itself, in no time."""
        self.spans.append(TimelineInterval(HOST, work, self._now, self._now, self._now))

    def wait(self, until: int, work: Work) -> None:
        """The host does nothing until a cycle, which may be over."""
        end = max(self._now, until)
        self.spans.append(TimelineInterval(HOST, work, self._now, end, self._now))
        self._now = end
