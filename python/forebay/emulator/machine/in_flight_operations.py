"""All in-flight operations: their order, and the conflicts between their accesses."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from forebay.emulator.machine.in_flight_operation import (
    InFlightAccess,
    InFlightOperation,
    VectorClock,
    latest,
)
from forebay.emulator.machine.overlap import first_common
from forebay.emulator.memory.access import MemoryAccess
from forebay.emulator.memory.buffers import EmulatedBuffer
from forebay.emulator.memory.program_point import ProgramPoint


class InFlightOperations:
    """In-flight operations in the order in which they were started, with their accesses."""

    def __init__(self) -> None:
        self._host: VectorClock = {}
        self._numbers: dict[str, int] = {}
        self._acting: InFlightOperation | None = None
        self.open: list[InFlightOperation] = []
        """Operations that the host has not waited for yet."""

    def clear(self) -> None:
        """Forget all operations and reset the clocks."""
        self._host, self._acting = {}, None
        self._numbers.clear()
        self.open.clear()

    @property
    def clock(self) -> VectorClock:
        """Return the clock of the operation that is being executed, else the host's."""
        return self._host if self._acting is None else self._acting.begins

    def start(
        self,
        queue: str,
        point: ProgramPoint,
        after: Sequence[InFlightOperation],
        buffers: Sequence[EmulatedBuffer],
    ) -> InFlightOperation:
        """Return a new operation, ordered after all others of its queue and after `after`."""
        number = self._numbers.get(queue, 0) + 1
        self._numbers[queue] = number
        known = latest((self._host, {queue: number - 1}, *(f.ends for f in after)))
        # An earlier operation of the queue began after others; these end before it ends.
        begins = (f.begins for f in self.open if f.queue == queue)
        operation = InFlightOperation(
            point, queue, number, latest((known, *begins)), tuple(buffers)
        )
        self.open.append(operation)
        return operation

    def waiting_in(self, queue: str) -> int:
        """Return the number of operations in the queue that the host has not waited for."""
        return sum(operation.queue == queue for operation in self.open)

    def oldest_in(self, queue: str) -> InFlightOperation:
        """Return the first operation in the queue that the host has not waited for."""
        return next(operation for operation in self.open if operation.queue == queue)

    def end(self, operation: InFlightOperation) -> list[InFlightOperation]:
        """Advance the host's clock to the operation's end; return all that have ended, in order."""
        self._host = latest((self._host, operation.ends))
        over = [known for known in self.open if known.is_before(self._host)]
        for known in over:
            known.is_over = True
        self.open = [known for known in self.open if not known.is_over]
        return over

    @contextmanager
    def acting(self, operation: InFlightOperation) -> Generator[None]:
        """Attribute all accesses inside the context to the operation."""
        self._acting = operation
        try:
            yield
        finally:
            self._acting = None

    def add_access(self, access: MemoryAccess) -> None:
        """Record an access of the acting operation; the host's accesses end with its op."""
        operation = self._acting
        if operation is not None:
            operation.accesses.append(InFlightAccess(operation, access))

    def conflict(self, access: MemoryAccess) -> tuple[InFlightAccess, int] | None:
        """Return a recorded access that conflicts and the first shared byte, or None.

        Two accesses conflict if they share a byte, at least one of them writes, and they are not
        ordered.
        """
        for operation in self.open:
            if operation is self._acting or operation.is_before(self.clock):
                continue
            for recorded in operation.accesses:
                other = recorded.access
                shares = other.memory.bytes is access.memory.bytes
                if shares and (access.writes or other.writes):
                    byte = first_common(access.placed, other.placed)
                    if byte is not None:
                        return recorded, byte - access.memory.first
        return None

    def has_ended_all(self, buffer: EmulatedBuffer) -> bool:
        """Return whether every operation that uses the buffer has ended at the current clock."""
        return all(
            operation.is_before(self.clock)
            for operation in self.open
            if buffer in operation.buffers
        )
