"""The emulated machine: the checks that every access to a memory passes."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from fractions import Fraction

import numpy as np
from mlir import ir
from numpy.typing import NDArray

from forebay.emulator.machine import refusals
from forebay.emulator.machine.buffer_placement import Allocate, BufferPlacement
from forebay.emulator.machine.byte_counter import ByteCounter
from forebay.emulator.machine.in_flight_operations import InFlightOperations
from forebay.emulator.machine.report import RunReport
from forebay.emulator.machine.store import MemoryStore
from forebay.emulator.machine.timeline import Timeline, Work
from forebay.emulator.memory.access import MemoryAccess
from forebay.emulator.memory.footprint import Footprint
from forebay.emulator.memory.memory import EmulatedMemory
from forebay.emulator.memory.program_point import ProgramPoint
from forebay.emulator.memory.rows_view import AnyView
from forebay.emulator.memory.view import MemoryView
from forebay.errors import Error


class TooLongError(Error):
    """Raised when a run takes more loop iterations than it is allowed."""


class Machine(MemoryStore):
    """A memory store with operations in flight and counters.

    With a seed for `disorder`, a machine executes a started operation only when the program waits
    for it, in a random order that queues and tokens allow. Code that does not wait then sees the
    old bytes. Such a machine is not strict.
    """

    def __init__(
        self,
        host: str,
        poison: int,
        *,
        strict: bool = True,
        disorder: int | None = None,
        allocate: Allocate | None = None,
        most_iterations: int | None = None,
        assigned: bool = True,
        host_rate: Fraction | None = None,
        peaks: Mapping[str, int] | None = None,
    ) -> None:
        super().__init__(host, poison, strict=strict, assigned=assigned)
        self._allocate = allocate
        self._most_iterations = most_iterations
        self._iterations = 0
        self.rng: random.Random | None = None
        self._disorder = disorder
        self.operations = InFlightOperations()
        self.report = RunReport(host, peaks or {}, timeline=Timeline(host_rate))
        self.counter = ByteCounter(self.report)

    def begin_run(self) -> None:
        """Reset the counters, the noted fault and the operations in flight."""
        self.report.clear()
        self.operations.clear()
        self.buffers.clear_operations()
        for memory in self.memories:
            if memory.rules.is_pool:
                self.report.timeline.holds(memory.name, self.live_bytes[memory.number])
        self.first_fault = None
        self._iterations = 0
        self.rng = None if self._disorder is None else random.Random(self._disorder)

    def allocate(self, place: BufferPlacement, op: ir.OpView, point: ProgramPoint) -> AnyView:
        """Return a view of a new buffer that the op declares, in memory of this machine."""
        assert self._allocate is not None
        return self._allocate(place, op, self, point)

    def iterates(self, count: int = 1) -> None:
        """Count the next iterations of a loop; raises `TooLongError` above the limit of the run."""
        self._iterations += count
        if self._most_iterations is not None and self._iterations > self._most_iterations:
            raise TooLongError(f"its loops run more than {self._most_iterations:,} times")

    def ran(self, work: Work, operations: int, *, macs: int = 0) -> None:
        """Count a kernel that evaluates its body `operations` times, or a copy of elements."""
        self.report.ops += 1
        self.count_macs(self.points.host, work, macs)
        self.report.timeline.host(work, operations)

    def count_macs(self, device: str, work: Work, macs: int) -> None:
        """Count multiplications of a device."""
        self.report.device_macs[device, work.location] += macs

    def banks_of(self, views: Iterable[MemoryView]) -> frozenset[tuple[str, int]]:
        """Return the banks in which views have bytes, of pools that are divided into banks."""
        banks: set[tuple[str, int]] = set()
        for view in views:
            memory = self.memories[view.buffer.memory]
            size = memory.rules.bank_size
            if size is not None:
                first, end = (view.at + byte for byte in view.whole.span)
                banks.update((memory.name, n) for n in range(first // size, -(-end // size)))
        return frozenset(banks)

    def live_bytes_changed(self, memory: EmulatedMemory, bytes_: int) -> None:
        """Record the live bytes of a pool for the trace."""
        if memory.rules.is_pool:
            self.report.timeline.holds(memory.name, bytes_)

    def reads(
        self, view: MemoryView, footprint: Footprint, point: ProgramPoint, *, by_right: bool = True
    ) -> None:
        """Check that the access at `point` may read these bytes, and that the buffer owns them.

        Without `by_right` the device's access right is not checked, because another rule has
        allowed the access.
        """
        if not footprint.size:
            return
        access = self._access(view, footprint, point, writes=False)
        memory = access.memory
        if by_right:
            self._check_right(access, memory.rules.readers)
        self._check_in_flight(access)
        owners = footprint.take(memory.owner, view.at)
        wrong = owners != view.buffer.number
        if wrong.any():
            self._refuse_read(access, int(wrong.argmax()))
        self.counter.count(memory, view.at, footprint, wrote=False)

    def may_write(
        self,
        view: MemoryView,
        footprint: Footprint,
        point: ProgramPoint,
        *,
        by_right: bool = True,
        reading: Iterable[tuple[MemoryView, Footprint]] = (),
    ) -> None:
        """Check that `point` may write these bytes and that no live buffer needs them.

        `reading` are the bytes that the same op reads, of which it must not overwrite rows.
        """
        if not footprint.size:
            return
        access = self._access(view, footprint, point, writes=True)
        memory = access.memory
        if memory.rules.is_read_only:
            self.refuse(refusals.read_only(access))
        if by_right:
            self._check_right(access, memory.rules.writers)
        self._check_in_flight(access)
        owners = footprint.take(memory.owner, view.at)
        wrong = owners != view.buffer.number
        if wrong.any():
            self._check_operands(access, reading)
            wrong &= self.buffers.alive[owners]
            if wrong.any():
                self._check_overwritten(access, owners, wrong)

    def written(self, view: MemoryView, footprint: Footprint, point: ProgramPoint) -> None:
        """Record `point` as the writer of these bytes of the view."""
        if not footprint.size:
            return
        memory = self.memories[view.buffer.memory]
        footprint.put(memory.owner, view.at, view.buffer.number)
        footprint.put(memory.writer, view.at, point.number)
        self.counter.count(memory, view.at, footprint, wrote=True)

    def reads_element(self, view: MemoryView, offset: int, point: ProgramPoint) -> None:
        """Do what `reads` does for the element at byte `offset` of the memory, without arrays."""
        memory, width = self.memories[view.buffer.memory], view.dtype.itemsize
        readers = memory.rules.readers
        owners = memory.owner[offset : offset + width].tolist()
        is_fine = owners == [view.buffer.number] * width and not self.operations.open
        if not is_fine or (readers is not None and point.device not in readers):
            self.reads(view, Footprint(offset - view.at, (), width), point)
            return
        self.counter.count_element(memory, offset, width)

    def writes_element(self, view: MemoryView, offset: int, point: ProgramPoint) -> None:
        """Check that `point` may write the element at byte `offset`, and record the write."""
        footprint = Footprint(offset - view.at, (), view.dtype.itemsize)
        self.may_write(view, footprint, point)
        self.written(view, footprint, point)

    def aligned(self, view: MemoryView, alignment: int, point: ProgramPoint, what: str) -> None:
        """Check an operand's own alignment; `what` is its name in messages."""
        memory = self.memories[view.buffer.memory]
        if not memory.rules.is_aligned(view.at, alignment):
            self.refuse(refusals.not_aligned(view, memory, alignment, point, what))

    def refuse_index(self, view: AnyView, element: str, point: ProgramPoint) -> None:
        """Refuse an access to an element that the view does not have."""
        memory = self.memories[view.buffer.memory]
        self.refuse(refusals.no_element(view, memory, element, point))

    def _access(
        self, view: MemoryView, footprint: Footprint, point: ProgramPoint, *, writes: bool
    ) -> MemoryAccess:
        """Return an access after checking that it stays inside the view's buffer."""
        memory, buffer = self.memories[view.buffer.memory], view.buffer
        access = MemoryAccess(view, footprint, memory, point, writes)
        first, end = access.span
        if first < buffer.start or end > buffer.end:
            fault = refusals.beyond_the_buffer(access)
            self.refuse(fault)
            if first < 0:
                raise fault  # there are no bytes before the memory
            self.grow(memory, end, fault)
        return access

    def _check_right(self, access: MemoryAccess, may: tuple[str, ...] | None) -> None:
        point = access.point
        if access.memory.rules.is_local and point.device == self.points.host:
            self.refuse_inaccessible(access.view, point, refusals.not_addressable(access))
        elif may is not None and point.device not in may:
            self.refuse_inaccessible(access.view, point, refusals.no_right(access, may))

    def _check_in_flight(self, access: MemoryAccess) -> None:
        """Refuse a conflict with an operation in flight, and record this access."""
        if not self.operations.open:
            return
        found = self.operations.conflict(access)
        if found is not None:
            self.refuse(refusals.in_flight(access, *found))
        self.operations.add_access(access)

    def _refuse_read(self, access: MemoryAccess, position: int) -> None:
        byte = access.byte(position)
        owner = self.buffers[int(access.memory.owner[byte])]
        writer = self.points[int(access.memory.writer[byte])]
        if access.view.buffer.by_rows and owner.number:
            self.refuse(refusals.stale_row(access, byte, owner, writer))
            return
        is_alive = bool(self.buffers.alive[owner.number])
        self.refuse(refusals.wrong_read(access, byte, owner, writer, is_alive=is_alive))

    def _check_operands(
        self, access: MemoryAccess, reading: Iterable[tuple[MemoryView, Footprint]]
    ) -> None:
        """Refuse a write over rows that the same op reads."""
        start, end = access.span
        for view, footprint in reading:
            first, last = (view.at + byte for byte in footprint.span)
            buffer = view.buffer
            is_apart = buffer.memory != access.memory.number or last <= start or end <= first
            if is_apart or not buffer.by_rows or buffer.number == access.view.buffer.number:
                continue
            read = np.zeros(len(access.memory.data), np.bool_)
            footprint.put(read, view.at, 1)
            overwritten = access.footprint.take(read, access.view.at)
            if overwritten.any():
                byte = access.byte(int(overwritten.argmax()))
                writer = self.points[int(access.memory.writer[byte])]
                self.refuse(refusals.overwrites_operand(access, byte, buffer, writer))

    def _check_overwritten(
        self, access: MemoryAccess, owners: NDArray[np.int32], wrong: NDArray[np.bool_]
    ) -> None:
        """Refuse writes over live buffers, except those kept alive only by ended operations."""
        for number in np.unique(owners[wrong]):
            owner = self.buffers[int(number)]
            if self.buffers.has_no_reference(owner) and self.operations.has_ended_all(owner):
                continue
            byte = access.byte(int((wrong & (owners == number)).argmax()))
            writer = self.points[int(access.memory.writer[byte])]
            self.refuse(refusals.wrong_write(access, byte, owner, writer))
