"""Buffers and their lifetimes: one record per allocation, so that no two lifetimes are confused."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class EmulatedBuffer:
    """One lifetime of a buffer in bytes `[start, end)` of a memory.

    The lifetime of a `lasting` buffer (constants, state, memory of the caller) does not end with
    its last use. The lifetime of a buffer `by_rows`, a row or a tensor whose rows end one by one,
    is not known from its uses: its bytes may be overwritten at any time, and a later read finds
    them stale.
    """

    number: int
    name: str
    memory: int
    start: int
    end: int
    lasting: bool = False
    by_rows: bool = False

    @property
    def span(self) -> str:
        """Return the bytes as messages show them."""
        return f"[{self.start}, {self.end})"


class BufferTable:
    """All buffers by number, and which of them are alive; number 0 means no owner and is dead."""

    def __init__(self) -> None:
        self.alive: NDArray[np.bool_] = np.zeros(1024, np.bool_)
        self._all = [EmulatedBuffer(0, "no buffer", 0, 0, 0)]
        self._references = [0]
        self._operations: dict[int, int] = {}

    def __getitem__(self, number: int) -> EmulatedBuffer:
        return self._all[number]

    def allocate(
        self,
        name: str,
        memory: int,
        start: int,
        end: int,
        *,
        lasting: bool,
        by_rows: bool = False,
    ) -> EmulatedBuffer:
        """Return a new buffer; unless it is lasting, it becomes alive when a value refers to it.

        A buffer `by_rows` never counts as alive.
        """
        buffer = EmulatedBuffer(len(self._all), name, memory, start, end, lasting, by_rows)
        self._all.append(buffer)
        self._references.append(0)
        if buffer.number >= len(self.alive):
            self.alive = np.concatenate([self.alive, np.zeros_like(self.alive)])
        self.alive[buffer.number] = lasting
        return buffer

    def add_reference(self, buffer: EmulatedBuffer) -> bool:
        """Count one more value that refers to the buffer; return whether its lifetime began."""
        if buffer.by_rows:
            return False
        self._references[buffer.number] += 1
        was_alive = bool(self.alive[buffer.number])
        self.alive[buffer.number] = True
        return not was_alive

    def drop_reference(self, buffer: EmulatedBuffer) -> bool:
        """Count one value less; return whether this ended the buffer's lifetime."""
        if buffer.by_rows:
            return False
        self._references[buffer.number] -= 1
        return self._ends_now(buffer)

    def add_operation(self, buffer: EmulatedBuffer) -> None:
        """Record that an in-flight operation uses the buffer, whatever values refer to it."""
        self._operations[buffer.number] = self._operations.get(buffer.number, 0) + 1

    def end_operation(self, buffer: EmulatedBuffer) -> bool:
        """Record that an operation has ended; return whether this ended the buffer's lifetime."""
        self._operations[buffer.number] -= 1
        return self._ends_now(buffer)

    def clear_operations(self) -> None:
        """Forget all in-flight operations."""
        self._operations.clear()

    def has_no_reference(self, buffer: EmulatedBuffer) -> bool:
        """Return whether only in-flight operations keep the buffer alive."""
        return not buffer.lasting and self._references[buffer.number] == 0

    def _ends_now(self, buffer: EmulatedBuffer) -> bool:
        is_used = not self.has_no_reference(buffer) or self._operations.get(buffer.number, 0)
        return not is_used and self.end(buffer)

    def end(self, buffer: EmulatedBuffer) -> bool:
        """End the lifetime, even if values refer to the buffer; return whether it was alive."""
        was_alive = bool(self.alive[buffer.number])
        self.alive[buffer.number] = False
        return was_alive

    def temporaries_alive(self) -> list[EmulatedBuffer]:
        """Return the buffers that are alive and not lasting."""
        numbers = np.flatnonzero(self.alive[: len(self._all)])
        return [b for b in (self._all[int(n)] for n in numbers) if not b.lasting]
