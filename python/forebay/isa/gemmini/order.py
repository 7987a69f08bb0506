"""The moves that hardware may still be making: its order of main-memory accesses between fences.

Hardware issues moves in, computes and moves out from three queues. An instruction waits until the
earlier ones of the *other* queues that access the same local rows are complete; nothing compares
addresses in main memory. So a move in after a move out of the same bytes needs a fence. A move out
over bytes that a move in reads needs one unless a chain of local rows orders it after that move
in, as in `mvin X; compute Y from X; mvout Y` onto the bytes of X.

Sets of moves in are integers with one bit per move in since the last fence.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

import numpy as np

from forebay.isa.main_memory import MainMemory


class IssueQueue(IntEnum):
    """The queue that an instruction is issued from."""

    LOAD = 0
    EXECUTE = 1
    STORE = 2


class MoveOrder:
    """The accesses that are known to be complete when an instruction is issued."""

    def __init__(self, memory: MainMemory) -> None:
        self._memory = memory
        self._stored = np.zeros(len(memory.data), np.bool_)
        self._reader = np.zeros(len(memory.data), np.int32)
        self._readers: list[int] = [0]
        self._issued = [0, 0, 0]
        self._writers: list[dict[int, int]] = [{}, {}, {}]
        self._accessors: list[dict[int, int]] = [{}, {}, {}]

    def fence(self) -> None:
        """Record that all moves are complete."""
        self.__init__(self._memory)

    @property
    def has_stores(self) -> bool:
        """Return whether a move out may not be complete."""
        return bool(self._stored.any())

    def issue(
        self, queue: IssueQueue, reads: Iterable[int], writes: Iterable[int], moves_in: bool = False
    ) -> int:
        """Record an access to local rows; return the moves in that are complete before it."""
        before = self._issued[queue]
        others = [other for other in IssueQueue if other != queue]
        rows_read, rows_written = list(reads), list(writes)
        for other in others:
            for row in rows_read:
                before |= self._writers[other].get(row, 0)
            for row in rows_written:
                before |= self._accessors[other].get(row, 0)
        self._issued[queue] = before
        complete = before | (1 << len(self._readers) if moves_in else 0)
        for row in (*rows_read, *rows_written):
            self._accessors[queue][row] = self._accessors[queue].get(row, 0) | complete
        for row in rows_written:
            self._writers[queue][row] = self._writers[queue].get(row, 0) | complete
        return before

    def move_in(self, pieces: Iterable[slice]) -> slice | None:
        """Record a read of main memory; return bytes that an incomplete move out writes."""
        number = len(self._readers)
        readers = 1 << number
        self._readers.append(readers)
        unordered = None
        for piece in pieces:
            if unordered is None and self._stored[piece].any():
                unordered = piece
            for older in np.unique(self._reader[piece]).tolist():
                readers |= self._readers[older]
            self._reader[piece] = number
        self._readers[number] = readers
        return unordered

    def move_out(self, pieces: Iterable[slice], complete: int) -> slice | None:
        """Record a write of main memory; return bytes that an incomplete move in may still read."""
        unordered = None
        for piece in pieces:
            for reader in np.unique(self._reader[piece]).tolist():
                if unordered is None and self._readers[reader] & ~complete:
                    unordered = piece
            self._stored[piece] = True
        return unordered
