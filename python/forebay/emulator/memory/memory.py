"""The bytes of a pool, or of the caller, with a shadow that knows whose each of them is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from forebay.network.engine import aligned_bytes

Shadow = NDArray[np.int32]

MOST_BYTES = 1 << 30
"""Bytes of all memories of a machine together; each takes up to nine in this process."""


@dataclass(frozen=True)
class MemoryRules:
    """What a memory demands of buffers and of who uses it; None stands for everybody.

    `base` is the address of its first byte, `reserved` half-open ranges that nobody may use. In a
    pool of rows a `unit` is their bytes, and addresses inside a device count rows.
    """

    alignment: int = 1
    base: int = 0
    unit: int = 1
    reserved: tuple[tuple[int, int], ...] = ()
    readers: tuple[str, ...] | None = None
    writers: tuple[str, ...] | None = None
    is_read_only: bool = False
    """Whether a run may not change it: constants, and what a caller lends."""
    is_pool: bool = False
    """Whether it is a pool of the module, and not what a caller lends."""
    is_local: bool = False
    """Whether it is inside a device, where the host has no address for it."""
    is_unplaced: bool = False
    """Whether it is one buffer's own: no plan says which pool that is in, so nobody asks."""

    def address(self, offset: int) -> int:
        """What a user calls the byte, or the row that it is in."""
        return self.base + (offset // self.unit if self.is_local else offset)

    def is_aligned(self, offset: int, alignment: int) -> bool:
        """Whether the byte's place in its address space is a multiple of `alignment` bytes."""
        return (self.base * (self.unit if self.is_local else 1) + offset) % alignment == 0


@dataclass(eq=False)
class Bytes:
    """Bytes with their shadows, which memories at the same addresses share."""

    data: NDArray[np.uint8]
    owner: Shadow
    writer: Shadow

    @staticmethod
    def of(data: NDArray[np.uint8]) -> Bytes:
        """Bytes that nothing has written."""
        count = len(data)
        return Bytes(data, np.zeros(count, np.int32), np.zeros(count, np.int32))

    @staticmethod
    def of_poison(size: int, alignment: int, poison: int) -> Bytes:
        """New bytes that nothing has written."""
        data = aligned_bytes(size, max(64, alignment))
        data[...] = poison
        return Bytes.of(data)


class EmulatedMemory:
    """Bytes that can be used in this process, and for each the last writer and its buffer.

    ::

        data    a5 a5 07 00 00 00 ...
        owner    0  0  3  3  3  3 ...   number of the buffer that wrote it, 0: never written
        writer   0  0  9  9  9  9 ...   number of the site that wrote it

    A byte is dead when its owner is. `name` is a pool's name with its `@`, or says whose it is.
    It is `size` bytes of `bytes_`, from byte `first` on.
    """

    def __init__(
        self,
        number: int,
        name: str,
        size: int,
        rules: MemoryRules,
        bytes_: Bytes,
        *,
        first: int = 0,
    ) -> None:
        self.number = number
        self.name = name
        self.size = size
        self.rules = rules
        self.bytes = bytes_
        self.first = first
        held = slice(first, first + max(size, 1))
        self.data: NDArray[np.uint8] = bytes_.data[held]
        self.owner: Shadow = bytes_.owner[held]
        self.writer: Shadow = bytes_.writer[held]
        self.pointer: int = self.data.ctypes.data
        """Where the bytes lie in this process."""

    def clear(self, pattern: int) -> None:
        """Nothing is written any more."""
        self.data[...] = pattern
        self.owner[...] = 0
        self.writer[...] = 0

    def place(self, offset: int) -> str:
        """A byte as messages show it."""
        address = f"address {self.rules.address(offset):#x}"
        is_plain = self.rules.base == 0 and self.rules.unit == 1
        return f"byte {offset} of {self.name}" + ("" if is_plain else f" ({address})")

    def reach(self, end: int, pattern: int) -> None:
        """Grow until there are `end` bytes, for a machine that goes on behind a fault."""
        missing = end - len(self.data)
        if missing <= 0:
            return
        old = self.data, self.owner, self.writer
        self.bytes = Bytes.of_poison(end, self.rules.alignment, pattern)
        self.first, self.pointer = 0, self.bytes.data.ctypes.data
        self.data, self.owner, self.writer = self.bytes.data, self.bytes.owner, self.bytes.writer
        for new, known in zip((self.data, self.owner, self.writer), old, strict=True):
            new[: len(known)] = known

    def poison(self, start: int, end: int, owner: int, pattern: int) -> None:
        """Overwrite what a buffer that died has left in `[start, end)`."""
        self.data[start:end][self.owner[start:end] == owner] = pattern
