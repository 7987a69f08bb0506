"""Count distinct bytes while a kernel is interpreted element by element."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from forebay.emulator.memory.memory import EmulatedMemory

_Bytes = NDArray[np.bool_]


class AccessedBytes:
    """The bytes of each memory that one op has read and written."""

    def __init__(self) -> None:
        self._read: dict[str, _Bytes] = {}
        self._written: dict[str, _Bytes] = {}

    def bytes_read(self, memory: EmulatedMemory) -> _Bytes:
        """Return an array with a mark for each byte of the memory."""
        return _of(self._read, memory)

    def bytes_written(self, memory: EmulatedMemory) -> _Bytes:
        """Return an array with a mark for each byte of the memory."""
        return _of(self._written, memory)

    def add_to(self, read: Counter[str], written: Counter[str]) -> None:
        """Add the numbers of marked bytes to the counters."""
        for counter, found in ((read, self._read), (written, self._written)):
            for name, marks in found.items():
                counter[name] += int(marks.sum())


def _of(found: dict[str, _Bytes], memory: EmulatedMemory) -> _Bytes:
    if memory.name not in found:
        found[memory.name] = np.zeros(len(memory.data), np.bool_)
    return found[memory.name]
