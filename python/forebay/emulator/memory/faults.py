"""What the machine refuses: one class per kind of mistake, each with the facts of the access."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from forebay.errors import Error
from forebay.ir.locations import describe_location


@dataclass(frozen=True)
class Where:
    """The access that was refused.

    `op` is the op's name, `location` its place in the model or file; `address` counts bytes, or
    rows where the pool has them, from the pool's base, plus the base address where the pool
    declares one. `buffer` names the buffer of the access, `owner` the buffer that the byte belongs
    to or belonged to, and `writer` is the op that wrote the byte last, with its location; of an
    access to what is in flight, the operation that uses it.
    """

    op: str
    location: str
    pool: str = ""
    address: int | None = None
    buffer: str = ""
    owner: str = ""
    writer: str = ""


class Fault(Error):  # noqa: N818  (what a machine raises, not what a caller did)
    """The program did something that the machine does not allow; `where` holds the facts."""

    def __init__(self, where: Where, what: str) -> None:
        super().__init__(f"{where.location}: {where.op} {what}")
        self.where = where


class NeverWritten(Fault):
    """A read of bytes that nothing has written."""


class DeadRead(Fault):
    """A read of bytes whose buffer died: whoever wrote them has no use for them any more."""


class ForeignRead(Fault):
    """A read of bytes that belong to another live buffer."""


class LiveOverwrite(Fault):
    """A write over bytes that a live buffer still needs."""


class OutOfRange(Fault):
    """An access beyond the buffer, a buffer beyond its pool, or one over reserved bytes."""


class Misaligned(Fault):
    """An address that is no multiple of the alignment that its user demands."""


class WrongPool(Fault):
    """An operand in a pool that its intrinsic does not reach, or a buffer in no candidate."""


class NotContiguous(Fault):
    """An operand with gaps where a pointer to its first byte is all that is handed over."""


class WrongReference(Fault):
    """What an intrinsic computes is not what it says of its operands."""


class NoRight(Fault):
    """An access to a pool by a device that may not read, or not write, it."""


class NotAddressable(NoRight):
    """The host in memory that is inside a device, which it has no address for."""


class StillInFlight(Fault):
    """An access to what a started operation uses, not ordered behind its end."""


class NotWaited(Fault):
    """An operation that was started, and whose end nobody has waited for when the run ends."""


class WaitedTwice(Fault):
    """A wait on a token that was waited for before."""


class NoSuchDevice(Fault):
    """A handle of no device, or of one that does not have what it is told to do."""


class NoSuchTicket(Fault):
    """A queue that is told a ticket which it has not given, or to wait for another queue's."""


class QueueFull(Fault):
    """More operations in a queue that nobody has waited for than the queue is deep."""


class NoSuchMove(Fault):
    """A block that a transfer cannot move: its rank, its rows, or the bytes of a run."""


@dataclass(frozen=True)
class Deviation:
    """The first element of a tensor that is another than the model's, and how many are."""

    tensor: str
    element: tuple[int, ...]
    expected: int | float | bool
    found: int | float | bool
    count: int
    size: int

    def __str__(self) -> str:
        return (
            f"leaves {self.found} in element {list(self.element)} of {self.tensor}, where the "
            f"model has {self.expected}; {self.count:,} of {self.size:,} elements differ"
        )


class WrongValue(Fault):
    """A tensor that is not what the model computes; `deviation` has the first element."""

    def __init__(self, where: Where, what: str, deviation: Deviation) -> None:
        super().__init__(where, what)
        self.deviation = deviation


class TooLargeError(Error):
    """Memory, or a kernel, of a size that this process has no room for."""


class NotEmulatedError(Error):
    """An op that the emulator has no rule for, or memory in a form that it does not know."""

    def __init__(self, op: ir.OpView | ir.Operation, what: str) -> None:
        super().__init__(f"{describe_location(op.location)}: '{op.operation.name}' {what}")
