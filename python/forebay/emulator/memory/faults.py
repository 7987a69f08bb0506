"""The faults of the emulated machine: one class per kind of mistake, with the access's facts."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from forebay.errors import Error
from forebay.ir.locations import describe_location


@dataclass(frozen=True)
class Where:
    """The location and the facts of a refused access.

    `op` is the op's name, `location` its location in the model or file. `address` counts bytes, or
    rows where the pool has rows, from the pool's base, plus the base address if the pool declares
    one. `buffer` names the buffer of the access, and `owner` the buffer that owns or owned the
    byte. `writer` is the op that wrote the byte last, with its location; for a conflict with an
    operation in flight, it is that operation.
    """

    op: str
    location: str
    pool: str = ""
    address: int | None = None
    buffer: str = ""
    owner: str = ""
    writer: str = ""


class Fault(Error):  # noqa: N818  (the machine's term: a fault, not an error of the caller)
    """An action of the program that the machine does not allow; `where` holds the facts."""

    def __init__(self, where: Where, what: str) -> None:
        super().__init__(f"{where.location}: {where.op} {what}")
        self.where = where


class NeverWritten(Fault):
    """A read of bytes that were never written."""


class DeadRead(Fault):
    """A read of bytes of a buffer whose lifetime has ended."""


class ForeignRead(Fault):
    """A read of bytes that another live buffer owns."""


class StaleRow(Fault):
    """A read of a row whose bytes another buffer has overwritten, or that was not written again."""


class LiveOverwrite(Fault):
    """A write over bytes that a live buffer still needs."""


class OutOfRange(Fault):
    """An access beyond the buffer, a buffer beyond its pool, or one over reserved bytes."""


class Misaligned(Fault):
    """An address that is not a multiple of the alignment that its user requires."""


class WrongPool(Fault):
    """An operand in a pool that its intrinsic cannot use, or a buffer in no candidate pool."""


class WrongFlags(Fault):
    """An address without the flags that the operand has."""


class NotContiguous(Fault):
    """An operand with gaps, where only a pointer to its first byte is passed."""


class WrongReference(Fault):
    """A reference of an intrinsic that contradicts the declaration of its operands."""


class NoRight(Fault):
    """An access to a pool by a device without the right to read or write it."""


class NotAddressable(NoRight):
    """An access by the host to memory inside a device, for which the host has no address."""


class StillInFlight(Fault):
    """An access to bytes that an in-flight operation uses, not ordered after its end."""


class NotWaited(Fault):
    """An operation that was started and not waited for when the run ends."""


class WaitedTwice(Fault):
    """A second wait for the same token."""


class NoSuchDevice(Fault):
    """A handle of no device, or of a device that does not have the called function."""


class NoSuchTicket(Fault):
    """A ticket that no queue has issued, or a wait for a ticket of another queue."""


class QueueFull(Fault):
    """An operation that exceeds the depth of a queue, counting those without a wait."""


class NoSuchMove(Fault):
    """A block that a transfer cannot move: its rank, its rows, or the bytes of a run."""


@dataclass(frozen=True)
class Deviation:
    """The first element of a tensor that differs from the model's, and how many differ."""

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
    """A tensor that differs from the model's; `deviation` holds the first element."""

    def __init__(self, where: Where, what: str, deviation: Deviation) -> None:
        super().__init__(where, what)
        self.deviation = deviation


class TooLargeError(Error):
    """Raised for a memory or a kernel that is too large for this process."""


class NotEmulatedError(Error):
    """Raised for an op without a rule, or for memory in an unknown form."""

    def __init__(self, op: ir.OpView | ir.Operation, what: str) -> None:
        super().__init__(f"{describe_location(op.location)}: '{op.operation.name}' {what}")
