"""A named memory pool: the bytes that a plan may use, and how addresses in it count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class ByteRange(NamedTuple):
    """Half-open range of pool-relative bytes, `[start, end)`."""

    start: int
    end: int

    def overlaps(self, other: ByteRange) -> bool:
        """Whether the two ranges share a byte."""
        return self.start < other.end and other.start < self.end

    def __str__(self) -> str:
        return f"[{self.start:,}, {self.end:,})"


@dataclass(frozen=True)
class Pool:
    """Named memory; all offsets count bytes from its base.

    ::

        base     start        reserved             capacity
        |--------|============|######|=============|
        offset 0  plan may use        plan may use

    `capacity`: bytes from the base to the end of the pool; None is unlimited.
    `alignment`: of the base address, and of a buffer that has none of its own.
    `base`: absolute address of offset 0 where it is fixed; otherwise whoever provides the memory
    must align it to `Plan.base_alignment(pool)`.
    `unit`: bytes of one addressable row; buffers begin on a row and take whole rows.
    `banks`: number of equal parts of the capacity; they matter to `Separation.same_bank` only.
    `start`: first byte that a plan may use. `reserved`: byte ranges that it must leave alone.
    `cost`: of one byte of a buffer that lives here; when none of a buffer's candidates
    says a cost, a byte costs the pool's rank among the candidates.
    `weight`: of one byte of peak, when plans of equal cost are compared.
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
        """Smallest offset at or above `offset` whose absolute address is aligned."""
        base = self.base or 0
        return -(-(base + offset) // alignment) * alignment - base

    def rounded(self, size: int) -> int:
        """Bytes that a buffer of `size` bytes takes here: whole rows."""
        return -(-size // self.unit) * self.unit

    @property
    def bank_bytes(self) -> int | None:
        """Bytes of one bank; None where the pool is not divided."""
        return None if self.banks == 1 or self.capacity is None else self.capacity // self.banks

    def share_bank(self, one: ByteRange, other: ByteRange) -> bool:
        """Whether the two ranges touch a common bank; the whole of an undivided pool is one."""
        bank = self.bank_bytes
        if bank is None:
            return True
        return (
            one.start // bank <= (other.end - 1) // bank
            and other.start // bank <= (one.end - 1) // bank
        )
