"""All that was started and not waited for: who runs beside whom, and who may not."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from forebay.emulator.machine.flight import (
    InFlightAccess,
    InFlightOperation,
    VectorClock,
    latest,
)
from forebay.emulator.machine.overlap import first_common
from forebay.emulator.memory.access import Access
from forebay.emulator.memory.buffers import EmulatedBuffer
from forebay.emulator.memory.site import ProgramPoint


class InFlightOperations:
    """Flights in the order in which they were started, and what they use of each memory."""

    def __init__(self) -> None:
        self._host: VectorClock = {}
        self._numbers: dict[str, int] = {}
        self._acting: InFlightOperation | None = None
        self.open: list[InFlightOperation] = []
        """Those whose end the host does not know of."""

    def clear(self) -> None:
        """Nothing is in flight, nothing was started."""
        self._host, self._acting = {}, None
        self._numbers.clear()
        self.open.clear()

    @property
    def clock(self) -> VectorClock:
        """What has ended for who acts now: a flight that begins, else the host."""
        return self._host if self._acting is None else self._acting.begins

    def start(
        self,
        queue: str,
        site: ProgramPoint,
        after: Sequence[InFlightOperation],
        buffers: Sequence[EmulatedBuffer],
    ) -> InFlightOperation:
        """A new flight behind all others of its queue, and behind those of `after`."""
        number = self._numbers.get(queue, 0) + 1
        self._numbers[queue] = number
        known = latest((self._host, {queue: number - 1}, *(f.ends for f in after)))
        # The one before it in the queue began behind others, which are over with it.
        own = (f.begins for f in self.open if f.queue == queue)
        flight = InFlightOperation(site, queue, number, latest((known, *own)), tuple(buffers))
        self.open.append(flight)
        return flight

    def waiting_in(self, queue: str) -> int:
        """How many of the queue's nobody has waited for."""
        return sum(flight.queue == queue for flight in self.open)

    def oldest_in(self, queue: str) -> InFlightOperation:
        """Of those that nobody has waited for, the first of the queue."""
        return next(flight for flight in self.open if flight.queue == queue)

    def end(self, flight: InFlightOperation) -> list[InFlightOperation]:
        """The host knows that it has ended, and with it all before it; gives those, in order."""
        self._host = latest((self._host, flight.ends))
        over = [known for known in self.open if known.is_before(self._host)]
        for known in over:
            known.is_over = True
        self.open = [known for known in self.open if not known.is_over]
        return over

    @contextmanager
    def acting(self, flight: InFlightOperation) -> Generator[None]:
        """Whatever is accessed inside is accessed by the flight, and claimed by it."""
        self._acting = flight
        try:
            yield
        finally:
            self._acting = None

    def claim(self, access: Access) -> None:
        """Note what the flight that acts uses; the host uses nothing beyond its op."""
        flight = self._acting
        if flight is not None:
            flight.claims.append(InFlightAccess(flight, access))

    def conflict(self, access: Access) -> tuple[InFlightAccess, int] | None:
        """A claim on bytes that may still be in use, or changed, and the first such byte."""
        for flight in self.open:
            if flight is self._acting or flight.is_before(self.clock):
                continue
            for claim in flight.claims:
                other = claim.access
                shares = other.memory.bytes is access.memory.bytes
                if shares and (access.writes or other.writes):
                    byte = first_common(access.placed, other.placed)
                    if byte is not None:
                        return claim, byte - access.memory.first
        return None

    def is_past(self, buffer: EmulatedBuffer) -> bool:
        """Whether every flight that uses the buffer has ended for who acts now."""
        return all(flight.is_before(self.clock) for flight in self.open if buffer in flight.buffers)
