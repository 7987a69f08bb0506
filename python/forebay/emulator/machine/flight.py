"""An operation that was started, and what is known of when it begins and ends.

A clock says of each queue how many of its operations have ended. The host's moves on with each
wait; an operation begins at a clock of its own: the host's when it was started, those of `after`,
and all of its queue that were started before it::

    load   1  2  3            3 of @load begins at {load: 2}, ends at {load: 3}
    run       1  2            2 of @run, after 3 of @load, begins at {load: 3, run: 1}

What ends at number n of a queue is over for whoever has a clock of n or more for that queue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from forebay.emulator.memory.access import Access
from forebay.emulator.memory.buffers import EmulatedBuffer
from forebay.emulator.memory.site import ProgramPoint

VectorClock = Mapping[str, int]


def latest(clocks: Iterable[VectorClock]) -> VectorClock:
    """What is known by all of them together."""
    known: dict[str, int] = {}
    for clock in clocks:
        for queue, number in clock.items():
            known[queue] = max(number, known.get(queue, 0))
    return known


@dataclass(frozen=True, eq=False)
class InFlightAccess:
    """An access that a flight makes at some time until it ends."""

    flight: InFlightOperation
    access: Access


@dataclass(eq=False)
class InFlightOperation:
    """One operation in a queue; `number` counts the queue's from 1. `begins` is its clock.

    `end` is the cycle in which it ends, `effect` what it has yet to do. `is_over` when the host has
    waited for it, or for one that ended later; `is_waited` when it was waited for itself.
    """

    site: ProgramPoint
    queue: str
    number: int
    begins: VectorClock
    buffers: tuple[EmulatedBuffer, ...]
    end: int = 0
    is_over: bool = False
    is_waited: bool = False
    claims: list[InFlightAccess] = field(default_factory=list[InFlightAccess])
    effect: Callable[[], None] | None = None

    @property
    def ends(self) -> VectorClock:
        """What has ended when it has."""
        return {**self.begins, self.queue: self.number}

    def is_before(self, clock: VectorClock) -> bool:
        """Whether it has ended for who has the clock."""
        return self.number <= clock.get(self.queue, 0)

    def __str__(self) -> str:
        return f"{self.site}, number {self.number} in @{self.queue}"
