"""The bytes of a pool, or of the caller, with shadow memory that records who owns each byte."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from forebay.network.engine import aligned_bytes

_Shadow = NDArray[np.int32]

MOST_BYTES = 1 << 30
"""The limit in bytes for all memories of a machine; each byte takes up to nine in this process."""


@dataclass(frozen=True)
class MemoryRules:
    """The rules of a memory for buffers and for devices; None allows every device.

    `base` is the address of its first byte, `reserved` half-open ranges that no buffer may use. In
    a pool of rows, `unit` is the size of a row in bytes, and addresses inside a device count rows.
    """

    alignment: int = 1
    base: int = 0
    unit: int = 1
    reserved: tuple[tuple[int, int], ...] = ()
    readers: tuple[str, ...] | None = None
    writers: tuple[str, ...] | None = None
    is_read_only: bool = False
    """Whether a run may not change it: constants, and inputs of the caller."""
    is_pool: bool = False
    """Whether it is a pool of the module, not memory of the caller."""
    is_local: bool = False
    """Whether it is inside a device, where the host has no address for it."""
    bank_size: int | None = None
    """Bytes of one bank of a pool that is divided into banks."""
    is_register: bool = False
    """Whether it is one register of a device, which has no address at all."""
    is_unplaced: bool = False
    """Whether it belongs to one unplaced buffer, so that pool constraints are not checked."""

    def address(self, offset: int) -> int:
        """Return the address of the byte, or of its row, in the device's numbering."""
        return self.base + (offset // self.unit if self.is_local else offset)

    def is_aligned(self, offset: int, alignment: int) -> bool:
        """Return whether the byte's address is a multiple of `alignment` bytes."""
        return (self.base * (self.unit if self.is_local else 1) + offset) % alignment == 0


@dataclass(eq=False)
class ShadowedBytes:
    """Bytes with their shadow memory, which memories at the same addresses share."""

    data: NDArray[np.uint8]
    owner: _Shadow
    writer: _Shadow

    @staticmethod
    def of(data: NDArray[np.uint8]) -> ShadowedBytes:
        """Return bytes with the shadow memory of unwritten ones."""
        count = len(data)
        return ShadowedBytes(data, np.zeros(count, np.int32), np.zeros(count, np.int32))

    @staticmethod
    def of_poison(size: int, alignment: int, poison: int) -> ShadowedBytes:
        """Return new bytes that are filled with poison and unwritten."""
        data = aligned_bytes(size, max(64, alignment))
        data[...] = poison
        return ShadowedBytes.of(data)


class EmulatedMemory:
    """Bytes in this process with shadow memory: each byte's last writer and the writer's buffer.

    ::

        data    a5 a5 07 00 00 00 ...
        owner    0  0  3  3  3  3 ...   number of the buffer that wrote it, 0: never written
        writer   0  0  9  9  9  9 ...   number of the program point that wrote it

    A byte is dead when the lifetime of its owner has ended. `name` is a pool's name with its `@`,
    or describes whose memory it is. The memory is `size` bytes of `bytes_`, from byte `first` on.
    """

    def __init__(
        self,
        number: int,
        name: str,
        size: int,
        rules: MemoryRules,
        bytes_: ShadowedBytes,
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
        self.owner: _Shadow = bytes_.owner[held]
        self.writer: _Shadow = bytes_.writer[held]
        self.pointer: int = self.data.ctypes.data
        """The address of the first byte in this process."""

    def clear(self, pattern: int) -> None:
        """Mark all bytes as unwritten and fill them with the pattern."""
        self.data[...] = pattern
        self.owner[...] = 0
        self.writer[...] = 0

    def place(self, offset: int) -> str:
        """Return a byte's position as messages show it."""
        address = f"address {self.rules.address(offset):#x}"
        is_plain = self.rules.base == 0 and self.rules.unit == 1
        return f"byte {offset} of {self.name}" + ("" if is_plain else f" ({address})")

    def grow(self, end: int, pattern: int) -> None:
        """Grow to `end` bytes, for a machine that continues after a fault."""
        missing = end - len(self.data)
        if missing <= 0:
            return
        old = self.data, self.owner, self.writer
        self.bytes = ShadowedBytes.of_poison(end, self.rules.alignment, pattern)
        self.first, self.pointer = 0, self.bytes.data.ctypes.data
        self.data, self.owner, self.writer = self.bytes.data, self.bytes.owner, self.bytes.writer
        for new, known in zip((self.data, self.owner, self.writer), old, strict=True):
            new[: len(known)] = known

    def poison(self, start: int, end: int, owner: int, pattern: int) -> None:
        """Overwrite the bytes in `[start, end)` that a buffer left when its lifetime ended."""
        self.data[start:end][self.owner[start:end] == owner] = pattern
