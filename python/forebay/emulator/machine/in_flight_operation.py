"""An in-flight operation and the vector clocks at which it begins and ends.

A vector clock maps each queue to the number of its operations that have ended. The host's clock
advances with each wait. An operation begins at a clock of its own: the maximum of the host's clock
when it was started, the ends of the operations in `after`, and all operations that were started
earlier in its queue::

    load   1  2  3            3 of @load begins at {load: 2}, ends at {load: 3}
    run       1  2            2 of @run, after 3 of @load, begins at {load: 3, run: 1}

Operation n of a queue has ended for everything that runs at a clock of n or more for that queue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from forebay.emulator.memory.access import MemoryAccess
from forebay.emulator.memory.buffers import EmulatedBuffer
from forebay.emulator.memory.program_point import ProgramPoint

VectorClock = Mapping[str, int]


def latest(clocks: Iterable[VectorClock]) -> VectorClock:
    """Return the elementwise maximum of the clocks."""
    known: dict[str, int] = {}
    for clock in clocks:
        for queue, number in clock.items():
            known[queue] = max(number, known.get(queue, 0))
    return known


@dataclass(frozen=True, eq=False)
class InFlightAccess:
    """An access that an in-flight operation makes at some time before it ends."""

    operation: InFlightOperation
    access: MemoryAccess


@dataclass(eq=False)
class InFlightOperation:
    """One operation in a queue.

    `number` counts the operations of the queue from 1. `begins` is the clock at which it begins,
    `end` the modelled cycle in which it ends, and `effect` a function that is still to be executed.
    `is_over` is set when the host has waited for it or for one that ends later, `is_waited` when
    the host has waited for this operation itself.
    """

    point: ProgramPoint
    queue: str
    number: int
    begins: VectorClock
    buffers: tuple[EmulatedBuffer, ...]
    end: int = 0
    is_over: bool = False
    is_waited: bool = False
    accesses: list[InFlightAccess] = field(default_factory=list[InFlightAccess])
    effect: Callable[[], None] | None = None

    @property
    def ends(self) -> VectorClock:
        """Return the clock at which it has ended."""
        return {**self.begins, self.queue: self.number}

    def is_before(self, clock: VectorClock) -> bool:
        """Return whether it has ended at this clock."""
        return self.number <= clock.get(self.queue, 0)

    def __str__(self) -> str:
        return f"{self.point}, number {self.number} in @{self.queue}"
