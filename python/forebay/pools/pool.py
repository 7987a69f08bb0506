"""A named memory pool: its bytes, its alignment rules, and the devices that may access it."""

from __future__ import annotations

import math

from forebay.pools.kinds import Fill, PoolKind
from forebay.pools.ranges import ByteRange
from forebay.support.records import record

DEFAULT_ALIGNMENT = 16
"""Alignment in bytes of a pool of a target or of a module that states none."""


@record
class Pool:
    """A named memory pool; sizes are in bytes, and offsets are bytes from its base.

    ::

        base     start        reserved             capacity
        |--------|============|######|=============|
        offset 0  plan may use        plan may use

    `capacity`: bytes from the base to the end of the pool; None means unlimited.
    `alignment`: of the base address, and of each buffer without its own alignment.
    `reserved`: byte ranges that a plan must not use. `start`: first byte that a plan may use.
    `base`: absolute address of offset 0 if it is fixed; in a local pool it counts rows. Otherwise
    the provider of the memory must align it to `Plan.base_alignment(pool)`.
    `unit`: bytes of one addressable row, any number; buffers begin on a row and occupy whole rows.
    `banks`: number of equal parts of the capacity; only `Separation.same_bank` uses it.
    `cost`: cost per byte of a buffer in this pool. When no candidate pool of a buffer has a cost,
    the cost per byte is the rank of the pool among the candidates.
    `weight`: weight of one byte of peak when plans of equal cost are compared.
    `section`: linker section of the pool's array in generated code.
    `readers`, `writers`: names of the devices that may; None means all.
    `fill`: how the bytes of a constant pool get there.
    `local`: whether the pool is inside a device. The host cannot address it, the program reserves
    no memory for it, and the address of a buffer in it is the number `base + offset / unit`. If it
    names no readers and writers, only the operands that name the pool may access it.
    `is_register`: whether the local pool is one register, which holds one buffer at a time and has
    no addresses. Its only row is the whole capacity.

    Raises `TypeError` for a kind or a fill that is not of its enumeration.
    """

    name: str
    kind: PoolKind = PoolKind.workspace
    capacity: int | None = None
    alignment: int = 1
    reserved: tuple[ByteRange, ...] = ()
    start: int = 0
    base: int | None = None
    unit: int = 1
    banks: int = 1
    cost: int | None = None
    weight: int = 1
    section: str | None = None
    readers: tuple[str, ...] | None = None
    writers: tuple[str, ...] | None = None
    fill: Fill = Fill.rom
    local: bool = False
    is_register: bool = False

    def __post_init__(self) -> None:
        self._expect("kind", self.kind, PoolKind)
        self._expect("fill", self.fill, Fill)

    def _expect(self, what: str, value: object, type_: type) -> None:
        if not isinstance(value, type_):
            raise TypeError(f"the {what} of pool '{self.name}' is {value!r}, no {type_.__name__}")

    def lets_read(self, device: str) -> bool:
        """Return whether the device may read the pool."""
        return not self.local if self.readers is None else device in self.readers

    def lets_write(self, device: str) -> bool:
        """Return whether the device may write the pool; a run never writes constants."""
        return not self.local if self.writers is None else device in self.writers

    @property
    def usable(self) -> int | None:
        """The number of bytes that a plan may use; None means unlimited."""
        if self.capacity is None:
            return None
        return self.capacity - self.start - sum(end - start for start, end in self.reserved)

    @property
    def is_mapped(self) -> bool:
        """Return whether the host addresses the pool at a constant base."""
        return self.base is not None and not self.local

    def address(self, offset: int) -> int:
        """Return the address of a byte in a pool with a fixed base; in a local pool, of its row."""
        return (self.base or 0) + (offset // self.unit if self.local else offset)

    @property
    def base_bytes(self) -> int:
        """Return the absolute address of offset 0 in bytes, or 0 if it is not fixed."""
        return (self.base or 0) * (self.unit if self.local else 1)

    def alignment_of(self, alignment: int | None) -> int:
        """Return the alignment in bytes of a buffer, whose own is `own`: that of a row, too."""
        return math.lcm(self.alignment if alignment is None else alignment, self.unit)

    def align(self, offset: int, alignment: int) -> int:
        """Return the smallest offset at or above `offset` whose absolute address is aligned."""
        base = self.base_bytes
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
