"""An access: a read or a write of bytes of a view by an op."""

from __future__ import annotations

from dataclasses import dataclass

from forebay.emulator.memory.footprint import Footprint
from forebay.emulator.memory.memory import EmulatedMemory
from forebay.emulator.memory.program_point import ProgramPoint
from forebay.emulator.memory.view import MemoryView


@dataclass(frozen=True, eq=False)
class MemoryAccess:
    """The bytes of `footprint` in `memory`, relative to byte `view.at`."""

    view: MemoryView
    footprint: Footprint
    memory: EmulatedMemory
    point: ProgramPoint
    writes: bool

    @property
    def verb(self) -> str:
        """Return "read" or "write", for messages."""
        return "write" if self.writes else "read"

    @property
    def span(self) -> tuple[int, int]:
        """Return the first byte in the memory and the end, one past the last byte."""
        first, end = self.footprint.span
        return self.view.at + first, self.view.at + end

    @property
    def placed(self) -> tuple[int, Footprint]:
        """Return the bytes relative to the storage that memories at overlapping addresses share."""
        return self.memory.first + self.view.at, self.footprint

    def byte(self, position: int) -> int:
        """Return the byte of the memory at a position of what the footprint takes."""
        return self.view.at + self.footprint.offset_of(position)
