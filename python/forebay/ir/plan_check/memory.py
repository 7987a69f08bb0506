"""Shadow memory: whether the bytes of each buffer still hold its contents. Knows no IR.

::

    FRESH         allocated: the buffer owns its bytes, but nothing is in them
    DEFINED       something is in them; a write to an overlapping buffer breaks the buffer
    BROKEN        the bytes hold something else now; a new allocation repairs this, a write
                  of a part does not
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Generic, NamedTuple, TypeVar

_Place = TypeVar("_Place")


class BufferState(IntEnum):
    """The state of a buffer's bytes; a greater state is more dangerous."""

    FRESH = 0
    DEFINED = 1
    BROKEN = 2


class Mark(NamedTuple, Generic[_Place]):
    """The state of a buffer; of a broken one also the buffer that was written, and where."""

    state: BufferState
    by: int = -1
    where: _Place | None = None


class ShadowMemory(Generic[_Place]):
    """The marks of all buffers by number; `neighbours[i]` share bytes with buffer `i`.

    A buffer that shares bytes with no other has no mark, because no write can break it.
    """

    def __init__(self, neighbours: Sequence[Sequence[int]]) -> None:
        self.marks: dict[int, Mark[_Place]] = {}
        self._neighbours = neighbours

    def allocate(self, buffer: int) -> None:
        """Begin a new instance of the buffer."""
        if self._neighbours[buffer]:
            self.marks[buffer] = Mark(BufferState.FRESH)

    def define(self, buffer: int) -> None:
        """Record that the buffer is used, and holds something from now on."""
        mark = self.marks.get(buffer)
        if mark is not None and mark.state is BufferState.FRESH:
            self.marks[buffer] = Mark(BufferState.DEFINED)

    def write(self, buffer: int, where: _Place) -> None:
        """Record a write to bytes of the buffer, which breaks other buffers with these bytes."""
        self.define(buffer)
        for other in self._neighbours[buffer]:
            mark = self.marks.get(other)
            if mark is not None and mark.state is BufferState.DEFINED:
                self.marks[other] = Mark(BufferState.BROKEN, buffer, where)

    def repair(self, buffer: int) -> None:
        """Repair the buffer: all of its bytes were written."""
        if self.broken_mark_of(buffer) is not None:
            self.marks[buffer] = Mark(BufferState.DEFINED)

    def broken_mark_of(self, buffer: int) -> Mark[_Place] | None:
        """Return the mark of a broken buffer, or None for a sound one."""
        mark = self.marks.get(buffer)
        return mark if mark is not None and mark.state is BufferState.BROKEN else None

    def copy_marks(self) -> dict[int, Mark[_Place]]:
        """Return a copy of the current marks."""
        return dict(self.marks)
