"""The errors of programs: words that do not fit, and faults of the machine that runs it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import ClassVar

from forebay.errors import Error


class EncodingError(Error):
    """A value that does not fit its field of an instruction."""


class DecodingError(Error):
    """A word that encodes no instruction of the modelled instruction set."""


@dataclass(frozen=True)
class FaultLocation:
    """The instruction that a fault is about; for a fault of the whole program, the last one."""

    index: int
    instruction: str


class InstructionFault(Error):  # noqa: N818  (the machine's term, as in the emulator)
    """An instruction that the machine does not allow, or whose result is undefined.

    `rows` are the rows (VTA: elements; main memory: bytes) of `memory` that are concerned, first
    and end. After a fault of a class with `defined`, the functional simulator has a result, so a
    run may ignore it.
    """

    defined: ClassVar[bool] = False

    def __init__(
        self,
        place: FaultLocation,
        field: str,
        what: str,
        *,
        memory: str = "",
        rows: tuple[int, int] | None = None,
    ) -> None:
        shown = f" {memory}[{rows[0]:#x}, {rows[1]:#x})" if rows else ""
        super().__init__(f"instruction {place.index}, {place.instruction}: {field}{shown}: {what}")
        self.index = place.index
        self.instruction = place.instruction
        self.field = field
        self.memory = memory
        self.rows = rows


class NeverWrittenRow(InstructionFault):
    """A read of local memory, or of main memory, that nothing wrote."""

    defined = True


class RowOutOfRange(InstructionFault):
    """A row beyond the local memory."""


class RamOutOfRange(InstructionFault):
    """An access beyond the main memory of the program."""


class OperandLimit(InstructionFault):
    """A number of rows, columns or pads, or a shift, that only the simulator accepts."""

    defined = True


class WrongOperand(InstructionFault):
    """An operand or a combination of modes that the machine does not have."""


class SimulatorOnly(InstructionFault):
    """An operation or a result that only the functional simulator has."""

    defined = True


class FaultReporter:
    """Raises faults, except those of ignored classes."""

    def __init__(self, ignoring: Collection[type[InstructionFault]] = ()) -> None:
        for kind in ignoring:
            if not kind.defined:
                raise ValueError(f"{kind.__name__} cannot be ignored: it leaves no defined result")
        self._ignored = frozenset(ignoring)

    def report(self, fault: InstructionFault) -> None:
        """Raise the fault unless its class is ignored."""
        if type(fault) not in self._ignored:
            raise fault
