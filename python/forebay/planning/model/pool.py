"""A named memory pool: the bytes that a plan may use, and its alignment rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class ByteRange(NamedTuple):
    """A half-open range of pool-relative bytes, `[start, end)`."""

    start: int
    end: int

    def overlaps(self, other: ByteRange) -> bool:
        """Return whether the two ranges share a byte."""
        return self.start < other.end and other.start < self.end

    def __str__(self) -> str:
        return f"[{self.start:,}, {self.end:,})"


@dataclass(frozen=True)
class Pool:
    """A named memory pool; all offsets are bytes from its base.

    ::

        base     start        reserved             capacity
        |--------|============|######|=============|
        offset 0  plan may use        plan may use

    `capacity`: bytes from the base to the end of the pool; None means unlimited.
    `alignment`: bytes; of the base address, and of each buffer without its own alignment.
    `base`: absolute address of offset 0 if it is fixed. Otherwise the provider of the memory must
    align it to `Plan.base_alignment(pool)`.
    `unit`: bytes of one addressable row; buffers begin on a row and occupy whole rows.
    `banks`: number of equal parts of the capacity; only `Separation.same_bank` uses it.
    `start`: first byte that a plan may use. `reserved`: byte ranges that a plan must not use.
    `cost`: cost per byte of a buffer in this pool. When no candidate pool of a buffer has a cost,
    the cost per byte is the rank of the pool among the candidates.
    `weight`: weight of one byte of peak when plans of equal cost are compared.
    """

    name: str
    capacity: int | None = None
    alignment: int = 1
    reserved: tuple[ByteRange, ...] = ()
    start: int = 0
    base: int | None = None
    unit: int = 1
    cost: int | None = None
    weight: int = 1
    banks: int = 1

    def align(self, offset: int, alignment: int) -> int:
        """Return the smallest offset at or above `offset` whose absolute address is aligned."""
        base = self.base or 0
        return -(-(base + offset) // alignment) * alignment - base

    def rounded(self, size: int) -> int:
        """Return the bytes that a buffer of `size` bytes occupies here: whole rows."""
        return -(-size // self.unit) * self.unit

    @property
    def bank_bytes(self) -> int | None:
        """Return the bytes of one bank; None when the pool has no banks."""
        return None if self.banks == 1 or self.capacity is None else self.capacity // self.banks

    def share_bank(self, one: ByteRange, other: ByteRange) -> bool:
        """Return whether the two ranges have a bank in common; an undivided pool is one bank."""
        bank = self.bank_bytes
        if bank is None:
            return True
        return (
            one.start // bank <= (other.end - 1) // bank
            and other.start // bank <= (one.end - 1) // bank
        )
