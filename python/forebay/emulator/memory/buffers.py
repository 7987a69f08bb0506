"""Buffers as they come and go: one record per birth, so that two lives are never confused."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class EmulatedBuffer:
    """One life of a buffer in bytes `[start, end)` of a memory.

    `lasting` ones (constants, state, what the caller holds) do not die with their last use.
    """

    number: int
    name: str
    memory: int
    start: int
    end: int
    lasting: bool = False

    @property
    def span(self) -> str:
        """The bytes as messages show them."""
        return f"[{self.start}, {self.end})"


class BufferTable:
    """All lives by number, and which of them are not over; number 0 is nobody and dead."""

    def __init__(self) -> None:
        self.alive: NDArray[np.bool_] = np.zeros(1024, np.bool_)
        self._all = [EmulatedBuffer(0, "nobody", 0, 0, 0)]
        self._holders = [0]
        self._kept: dict[int, int] = {}

    def __getitem__(self, number: int) -> EmulatedBuffer:
        return self._all[number]

    def allocate(
        self, name: str, memory: int, start: int, end: int, *, lasting: bool
    ) -> EmulatedBuffer:
        """A new life. One that is not lasting begins when something holds it."""
        buffer = EmulatedBuffer(len(self._all), name, memory, start, end, lasting)
        self._all.append(buffer)
        self._holders.append(0)
        if buffer.number >= len(self.alive):
            self.alive = np.concatenate([self.alive, np.zeros_like(self.alive)])
        self.alive[buffer.number] = lasting
        return buffer

    def hold(self, buffer: EmulatedBuffer) -> None:
        """One value more may still be used to reach the buffer."""
        self._holders[buffer.number] += 1
        self.alive[buffer.number] = True

    def drop(self, buffer: EmulatedBuffer) -> bool:
        """One value less; whether that was the end of the buffer."""
        self._holders[buffer.number] -= 1
        return self._ends_now(buffer)

    def keep(self, buffer: EmulatedBuffer) -> None:
        """An operation that was started uses the buffer, whoever holds it."""
        self._kept[buffer.number] = self._kept.get(buffer.number, 0) + 1

    def release(self, buffer: EmulatedBuffer) -> bool:
        """The operation is over; whether that was the end of the buffer."""
        self._kept[buffer.number] -= 1
        return self._ends_now(buffer)

    def release_all(self) -> None:
        """No operation is in flight any more, whatever it kept."""
        self._kept.clear()

    def is_only_kept(self, buffer: EmulatedBuffer) -> bool:
        """Whether nothing but operations that were started leads to the buffer."""
        return not buffer.lasting and self._holders[buffer.number] == 0

    def _ends_now(self, buffer: EmulatedBuffer) -> bool:
        is_used = not self.is_only_kept(buffer) or self._kept.get(buffer.number, 0)
        return not is_used and self.end(buffer)

    def end(self, buffer: EmulatedBuffer) -> bool:
        """The buffer's life is over, whoever holds it; whether it was alive."""
        was_alive = bool(self.alive[buffer.number])
        self.alive[buffer.number] = False
        return was_alive

    def living(self) -> list[EmulatedBuffer]:
        """Those that are alive and not lasting."""
        numbers = np.flatnonzero(self.alive[: len(self._all)])
        return [b for b in (self._all[int(n)] for n in numbers) if not b.lasting]
