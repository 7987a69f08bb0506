"""An op that reads or writes bytes of a view."""

from __future__ import annotations

from dataclasses import dataclass

from forebay.emulator.memory.footprint import Footprint
from forebay.emulator.memory.memory import EmulatedMemory
from forebay.emulator.memory.site import ProgramPoint
from forebay.emulator.memory.view import MemoryView


@dataclass(frozen=True, eq=False)
class Access:
    """The bytes of `footprint`, of which the view's first is at `view.at` of the memory."""

    view: MemoryView
    footprint: Footprint
    memory: EmulatedMemory
    site: ProgramPoint
    writes: bool

    @property
    def verb(self) -> str:
        """What is done to the bytes."""
        return "write" if self.writes else "read"

    @property
    def span(self) -> tuple[int, int]:
        """The first byte in the memory, and the one behind the last."""
        first, end = self.footprint.span
        return self.view.at + first, self.view.at + end

    @property
    def placed(self) -> tuple[int, Footprint]:
        """The bytes, where they are among those that memories at overlapping addresses share."""
        return self.memory.first + self.view.at, self.footprint

    def byte(self, position: int) -> int:
        """The byte of the memory at a position of what the footprint takes."""
        return self.view.at + self.footprint.offset_of(position)
