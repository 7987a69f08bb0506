"""Main memory of a program: bytes at absolute addresses, and which of them were written."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class MainMemory:
    """Bytes from `base`; `written` says which of them have a value, by default all."""

    def __init__(
        self,
        base: int,
        data: NDArray[np.uint8],
        written: NDArray[np.bool_] | None = None,
    ) -> None:
        self.base = base
        self.data = np.array(data, np.uint8)
        self.written = np.ones(len(data), np.bool_) if written is None else written.copy()

    def contains(self, address: int, size: int) -> bool:
        """Return whether all bytes are in this memory."""
        return self.base <= address and address + size <= self.base + len(self.data)

    def at(self, address: int, size: int) -> slice:
        """Return the positions of bytes that are in this memory."""
        return slice(address - self.base, address - self.base + size)

    def read(self, address: int, size: int) -> NDArray[np.uint8]:
        """Return a copy of bytes that are in this memory."""
        return self.data[self.at(address, size)].copy()

    def write(self, address: int, data: NDArray[np.uint8]) -> None:
        """Store bytes that are in this memory."""
        self.data[self.at(address, len(data))] = data
        self.written[self.at(address, len(data))] = True
