"""Modelled time: the cycles in which each device and queue is busy, and the host's work and waits.

Lanes run in parallel. A started operation begins when its queue is free and the operations that it
is ordered after have ended. A call blocks the host as well. The host's own work takes time if the
timeline has a rate for it::

    host     | call ...... | kernel . |        | wait ... |
    npu.load |    | mvin ...... | mvin ...... |
    npu.run                 | gemm ....... |
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

HOST = "host"
"""The host's lane."""


def require_rate(operations_per_cycle: float) -> Fraction:
    """Return the host's rate as an exact number; raise `ValueError` unless it is above 0."""
    if not 0 < operations_per_cycle < math.inf:
        raise ValueError(
            f"the host executes {operations_per_cycle} operations per cycle; give a number above 0"
        )
    return Fraction(operations_per_cycle)


@dataclass(frozen=True)
class Work:
    """A piece of work of `cycles`: its name, the location of the requesting op, and bytes moved.

    `banks` are the banks of pools that it accesses, as pairs of the pool's name and a number.
    """

    name: str
    location: str
    cycles: int = 0
    bytes: int = 0
    banks: frozenset[tuple[str, int]] = frozenset()


@dataclass(frozen=True, slots=True)
class TimelineInterval:
    """The cycles `[begin, end)` of a lane; the host issued the work in cycle `issued`.

    In an interval that `is_blocked` the host only waits for a device.
    """

    lane: str
    work: Work
    begin: int
    end: int
    issued: int
    is_blocked: bool = False


@dataclass(frozen=True, slots=True)
class LiveBytes:
    """The bytes of the live buffers of a pool from a cycle on."""

    cycle: int
    pool: str
    bytes: int


@dataclass
class Timeline:
    """All intervals of a run in the order in which the host issued them.

    `host_rate` is the number of operations of kernels and copies that the host executes per cycle.
    Without it the host's work takes no time, and `unmodelled` counts these operations. An operation
    is one evaluation of a kernel's body, or one element of a copy. `bank_conflicts` has the cycles
    by which the work of each lane began later because other lanes accessed the same bank. `live`
    has the bytes of each pool that are live, whenever they change.
    """

    host_rate: Fraction | None = None
    spans: list[TimelineInterval] = field(default_factory=list[TimelineInterval])
    live: list[LiveBytes] = field(default_factory=list[LiveBytes])
    bank_conflicts: Counter[str] = field(default_factory=Counter[str])
    unmodelled: int = 0
    _free: dict[str, int] = field(default_factory=dict[str, int])
    _banks: dict[tuple[str, int], int] = field(default_factory=dict[tuple[str, int], int])
    _now: int = 0

    def clear(self) -> None:
        """Reset to cycle 0."""
        self.spans.clear()
        self.live.clear()
        self.bank_conflicts.clear()
        self._free.clear()
        self._banks.clear()
        self._now = self.unmodelled = 0

    @property
    def cycles(self) -> int:
        """Return the cycle in which the last work ends."""
        return max((self._now, *self._free.values()))

    @property
    def lanes(self) -> tuple[str, ...]:
        """Return all lanes in the order of their first use."""
        return tuple(dict.fromkeys(span.lane for span in self.spans))

    def busy(self, lane: str) -> int:
        """Return the number of cycles in which the lane works."""
        return sum(s.end - s.begin for s in self.spans if s.lane == lane and not s.is_blocked)

    def call(self, work: Work, lane: str) -> None:
        """Run the work on a lane while the host waits."""
        end = self.start(work, lane)
        self._block(end, work)

    def start(self, work: Work, lane: str, after: Iterable[int] = ()) -> int:
        """Append the work to the lane and return its end; `after` are the ends of earlier work.

        A bank serves one lane at a time: work that accesses one begins when earlier work ends.
        """
        ready = max((self._now, self._free.get(lane, 0), *after))
        begin = max((ready, *(self._banks.get(bank, 0) for bank in work.banks)))
        end = begin + work.cycles
        self._free[lane] = end
        if begin > ready:
            self.bank_conflicts[lane] += begin - ready
        for bank in work.banks:
            self._banks[bank] = end
        self.spans.append(TimelineInterval(lane, work, begin, end, self._now))
        return end

    def host(self, work: Work, operations: int) -> None:
        """Run a kernel or a copy on the host, which takes no time unless there is a rate."""
        end = self._now
        if self.host_rate is None:
            self.unmodelled += operations
        else:
            end += math.ceil(operations / self.host_rate)
        self.spans.append(TimelineInterval(HOST, work, self._now, end, self._now))
        self._now = end

    def wait(self, until: int, work: Work) -> None:
        """Block the host until a cycle, which may already be over."""
        self._block(max(self._now, until), work)

    def holds(self, pool: str, bytes_: int) -> None:
        """Record the bytes of a pool that are live from now on."""
        self.live.append(LiveBytes(self._now, pool, bytes_))

    def _block(self, end: int, work: Work) -> None:
        blocked = TimelineInterval(HOST, work, self._now, end, self._now, is_blocked=True)
        self.spans.append(blocked)
        self._now = end
