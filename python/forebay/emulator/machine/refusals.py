"""Build the faults of refused accesses, with all facts; the caller raises them."""

from __future__ import annotations

from collections.abc import Sequence

from forebay.emulator.machine.in_flight_operation import InFlightAccess, InFlightOperation
from forebay.emulator.memory.access import MemoryAccess
from forebay.emulator.memory.buffers import EmulatedBuffer
from forebay.emulator.memory.faults import (
    DeadRead,
    Fault,
    ForeignRead,
    LiveOverwrite,
    Misaligned,
    NeverWritten,
    NoRight,
    NotAddressable,
    NotWaited,
    OutOfRange,
    QueueFull,
    StaleRow,
    StillInFlight,
    WaitedTwice,
    Where,
)
from forebay.emulator.memory.memory import EmulatedMemory
from forebay.emulator.memory.program_point import ProgramPoint
from forebay.emulator.memory.rows_view import AnyView
from forebay.emulator.memory.view import MemoryView

ByteSpan = tuple[int, int]


def fault(
    kind: type[Fault],
    point: ProgramPoint,
    memory: EmulatedMemory,
    offset: int,
    reason: str,
    *names: str,
) -> Fault:
    """Return a fault at a byte; `names`: the buffer, the byte's owner and its writer, if any."""
    address = memory.rules.address(offset)
    return kind(Where(point.what, point.location, memory.name, address, *names), reason)


# ---- Placements ----------------------------------------------------------------------------------


def beyond_the_pool(
    memory: EmulatedMemory, name: str, span: ByteSpan, point: ProgramPoint
) -> Fault:
    """Return the fault of a buffer that lies partly outside its pool."""
    reason = f"{_places(memory, name, span)}, which has {memory.size} bytes"
    return fault(
        OutOfRange, point, memory, span[0], f"{reason}; give the pool more or plan again", name
    )


def misplaced(
    memory: EmulatedMemory, name: str, span: ByteSpan, alignment: int, point: ProgramPoint
) -> Fault:
    """Return the fault of a buffer that does not begin at a multiple of its alignment."""
    reason = f"{_places(memory, name, span)}, but its alignment is {alignment}"
    return fault(Misaligned, point, memory, span[0], reason, name)


def on_reserved(
    memory: EmulatedMemory, name: str, span: ByteSpan, reserved: ByteSpan, point: ProgramPoint
) -> Fault:
    """Return the fault of a buffer that overlaps a reserved range."""
    first, last = reserved
    reason = f"{_places(memory, name, span)}, of which [{first}, {last}) is reserved"
    return fault(OutOfRange, point, memory, max(span[0], first), reason, name)


def _places(memory: EmulatedMemory, name: str, span: ByteSpan) -> str:
    return f"places buffer '{name}' at [{span[0]}, {span[1]}) of {memory.name}"


# ---- Accesses ------------------------------------------------------------------------------------


def beyond_the_buffer(access: MemoryAccess) -> Fault:
    """Return the fault of an access that leaves the view's buffer."""
    first, buffer = access.span[0], access.view.buffer
    wrong = first if first < buffer.start else max(first, buffer.end)
    reason = f"{access.verb}s {access.memory.place(wrong)}, outside of "
    return _of_access(OutOfRange, access, wrong, f"{reason}buffer '{buffer.name}' {buffer.span}")


def no_element(view: AnyView, memory: EmulatedMemory, element: str, point: ProgramPoint) -> Fault:
    """Return the fault of an index that is outside the view."""
    reason = (
        f"uses {element} outside of buffer '{view.buffer.name}' in {memory.name}, seen "
        f"as {'x'.join(map(str, view.shape)) or 'one element'}"
    )
    return fault(OutOfRange, point, memory, view.at, reason, view.buffer.name)


def not_aligned(
    view: MemoryView, memory: EmulatedMemory, alignment: int, point: ProgramPoint, what: str
) -> Fault:
    """Return the fault of an operand that violates the alignment its user requires."""
    reason = f"needs {what} aligned to {alignment}, and it begins at {memory.place(view.at)}"
    return fault(Misaligned, point, memory, view.at, reason, view.buffer.name)


def no_right(access: MemoryAccess, may: Sequence[str]) -> Fault:
    """Return the fault of a device without the right to read or write the pool."""
    reason = (
        f"{_accessed(access)} on device '{access.point.device}', which may not {access.verb} "
        f"there; devices that may: {', '.join(may) or 'none'}"
    )
    return _of_access(NoRight, access, access.view.at, reason)


def not_addressable(access: MemoryAccess) -> Fault:
    """Return the fault of a host access to memory inside a device."""
    reason = (
        f"{_accessed(access)} on the host '{access.point.device}', but the pool is inside a "
        "device; move the bytes by one of its transfers"
    )
    return _of_access(NotAddressable, access, access.view.at, reason)


def read_only(access: MemoryAccess) -> Fault:
    """Return the fault of a write to constants or to an input of the caller."""
    reason = f"{_accessed(access)}, which a run only reads"
    return _of_access(NoRight, access, access.view.at, reason)


def wrong_read(
    access: MemoryAccess, byte: int, owner: EmulatedBuffer, writer: ProgramPoint, *, is_alive: bool
) -> Fault:
    """Return the fault of a read of a byte that the buffer does not own."""
    reason = f"{_at(access, byte)}, "
    if not owner.number:
        return _of_access(NeverWritten, access, byte, reason + "which nothing has written")
    kind = ForeignRead if is_alive else DeadRead
    whose = "which belongs to live" if is_alive else "which is left of dead"
    reason += f"{whose} buffer '{owner.name}' {owner.span}, written by {writer}"
    return _of_access(kind, access, byte, reason, owner.name, str(writer))


def stale_row(
    access: MemoryAccess, byte: int, owner: EmulatedBuffer, writer: ProgramPoint
) -> Fault:
    """Return the fault of a read of a row that holds the bytes of another buffer."""
    reason = (
        f"{_at(access, byte)}, which holds bytes of '{owner.name}' {owner.span}, written by "
        f"{writer}; the row was overwritten before its last read, or was never written"
    )
    return _of_access(StaleRow, access, byte, reason, owner.name, str(writer))


def overwrites_operand(
    access: MemoryAccess, byte: int, owner: EmulatedBuffer, writer: ProgramPoint
) -> Fault:
    """Return the fault of a write over a row that the same op reads."""
    reason = f"{_at(access, byte)} over '{owner.name}' {owner.span}, which it reads itself"
    return _of_access(LiveOverwrite, access, byte, reason, owner.name, str(writer))


def wrong_write(
    access: MemoryAccess, byte: int, owner: EmulatedBuffer, writer: ProgramPoint
) -> Fault:
    """Return the fault of a write over a byte of another live buffer."""
    reason = (
        f"{_at(access, byte)} over live buffer '{owner.name}' {owner.span}, written by {writer}"
    )
    return _of_access(LiveOverwrite, access, byte, reason, owner.name, str(writer))


def _of_access(
    kind: type[Fault], access: MemoryAccess, byte: int, reason: str, *names: str
) -> Fault:
    name = access.view.buffer.name
    return fault(kind, access.point, access.memory, byte, reason, name, *names)


def _accessed(access: MemoryAccess) -> str:
    return f"{access.verb}s buffer '{access.view.buffer.name}' in {access.memory.name}"


def _at(access: MemoryAccess, byte: int) -> str:
    buffer = access.view.buffer
    place = access.memory.place(byte)
    return f"{access.verb}s {place} in buffer '{buffer.name}' {buffer.span}"


# ---- Operations in flight ------------------------------------------------------------------------


def in_flight(access: MemoryAccess, other: InFlightAccess, byte: int) -> Fault:
    """Return the fault of an access that conflicts with an operation in flight."""
    reason = (
        f"{_at(access, byte)}, which {other.operation} {other.access.verb}s as buffer "
        f"'{other.access.view.buffer.name}', and nothing says that it has ended; wait for its "
        "token first"
    )
    names = other.access.view.buffer.name, str(other.operation)
    return _of_access(StillInFlight, access, byte, reason, *names)


def _of_operation(
    kind: type[Fault], point: ProgramPoint, reason: str, operation: InFlightOperation
) -> Fault:
    return kind(Where(point.what, point.location, writer=str(operation)), reason)


def not_waited(operation: InFlightOperation) -> Fault:
    """Return the fault of an operation without a wait when the run ends."""
    reason = f"is still in @{operation.queue} when the run ends; wait for its token"
    return _of_operation(NotWaited, operation.point, reason, operation)


def waited_twice(operation: InFlightOperation, point: ProgramPoint) -> Fault:
    """Return the fault of a second wait for the same token."""
    return _of_operation(WaitedTwice, point, f"waits for {operation}, a second time", operation)


def queue_full(operation: InFlightOperation, point: ProgramPoint, depth: int) -> Fault:
    """Return the fault of an operation that exceeds the queue's depth.

    `operation` is the operation to wait for.
    """
    reason = (
        f"is one too many for @{operation.queue}, which takes {depth} without a wait; "
        f"wait first for {operation}"
    )
    return _of_operation(QueueFull, point, reason, operation)
