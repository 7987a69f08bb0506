"""Shadow memory: for every buffer, whether its bytes still hold what was put there. Knows no IR.

::

    born          a fresh buffer owns its bytes, but nothing is in them
    touched       something is in them; whoever writes there from elsewhere breaks the buffer
    broken        its bytes hold something else now; a new birth mends it, but no write of a part
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Generic, NamedTuple, TypeVar

Place = TypeVar("Place")


class BufferState(IntEnum):
    """What a buffer's bytes hold; a greater state is the more dangerous one."""

    FRESH = 0
    TOUCHED = 1
    BROKEN = 2


class Mark(NamedTuple, Generic[Place]):
    """The state of a buffer and, if it is broken, which other was written where."""

    state: BufferState
    by: int = -1
    where: Place | None = None


class ShadowMemory(Generic[Place]):
    """The marks of all buffers by number; `neighbours[i]` share bytes with buffer `i`.

    A buffer that shares bytes with no other has no mark: nothing can happen to it.
    """

    def __init__(self, neighbours: Sequence[Sequence[int]]) -> None:
        self.marks: dict[int, Mark[Place]] = {}
        self._neighbours = neighbours

    def allocate(self, buffer: int) -> None:
        """Return a new instance of the buffer."""
        if self._neighbours[buffer]:
            self.marks[buffer] = Mark(BufferState.FRESH)

    def define(self, buffer: int) -> None:
        """Return the buffer is used, and holds something from now on."""
        mark = self.marks.get(buffer)
        if mark is not None and mark.state is BufferState.FRESH:
            self.marks[buffer] = Mark(BufferState.TOUCHED)

    def write(self, buffer: int, where: Place) -> None:
        """Return the bytes of the buffer change, and with them every other buffer there."""
        self.define(buffer)
        for other in self._neighbours[buffer]:
            mark = self.marks.get(other)
            if mark is not None and mark.state is BufferState.TOUCHED:
                self.marks[other] = Mark(BufferState.BROKEN, buffer, where)

    def mend(self, buffer: int) -> None:
        """Return all bytes of the buffer were written."""
        if self.clobber(buffer) is not None:
            self.marks[buffer] = Mark(BufferState.TOUCHED)

    def clobber(self, buffer: int) -> Mark[Place] | None:
        """Return the mark of a broken buffer, None for a sound one."""
        mark = self.marks.get(buffer)
        return mark if mark is not None and mark.state is BufferState.BROKEN else None

    def copy_marks(self) -> dict[int, Mark[Place]]:
        """Return the marks as they are now."""
        return dict(self.marks)
