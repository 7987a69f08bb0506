"""Pools of a module, and the pools and sizes that types state."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from mlir import ir

from forebay.dialects.memref_pool import Fill, PoolKind, PoolOp, SpaceAttr

DEFAULT_ALIGNMENT = 16
"""Default alignment of a pool, in bytes."""


@dataclass(frozen=True)
class DeclaredPool:
    """A `memref_pool.pool`; sizes and offsets are in bytes.

    `base` is an absolute address, `start` the first byte that may be used, `unit` the size of a
    row. `reserved` holds half-open ranges. `readers` and `writers` name devices; None means all.
    `fill` says how the bytes of constants get there. A `local` pool is inside a device. Without
    `readers` and `writers`, only the operands that name a local pool may access it. Any other pool
    with a `base` is memory that the program addresses at this constant.
    """

    name: str
    kind: PoolKind
    capacity: int | None
    alignment: int
    reserved: tuple[tuple[int, int], ...]
    readers: tuple[str, ...] | None
    writers: tuple[str, ...] | None
    section: str | None = None
    start: int = 0
    unit: int = 1
    base: int | None = None
    fill: Fill = Fill.rom
    local: bool = False

    def lets_read(self, device: str) -> bool:
        """Return whether the device may read the pool."""
        return not self.local if self.readers is None else device in self.readers

    def lets_write(self, device: str) -> bool:
        """Return whether the device may write the pool."""
        return not self.local if self.writers is None else device in self.writers

    @property
    def is_mapped(self) -> bool:
        """Return whether the host addresses the pool at a constant base."""
        return self.base is not None and not self.local

    def address(self, offset: int) -> int:
        """Return the address of a byte in a pool with a fixed base; in a local pool, of its row."""
        return (self.base or 0) + (offset // self.unit if self.local else offset)


def pool_ops(module: ir.Operation) -> list[PoolOp]:
    """Return the pools of a module, in their order."""
    return [op for op in module.regions[0].blocks[0].operations if isinstance(op, PoolOp)]


def pools_in(module: ir.Operation) -> Mapping[str, DeclaredPool]:
    """Return the facts about the pools of a module by name, in their order."""
    return {pool.name: pool for pool in map(_facts, pool_ops(module))}


def candidates_of(type_: ir.Type) -> tuple[str, ...]:
    """Return the names of the candidate pools of a memref or tensor type; () for caller memory."""
    space: object = None
    if isinstance(type_, ir.MemRefType):
        space = type_.memory_space
    elif isinstance(type_, ir.RankedTensorType):
        space = type_.encoding
    return space.pools if isinstance(space, SpaceAttr) else ()


def bytes_of(type_: ir.MemRefType) -> int:
    """Return the size in bytes of a buffer of static shape; elements take whole bytes."""
    return math.prod(type_.shape) * element_bytes(type_.element_type)


def element_bytes(type_: ir.Type) -> int:
    """Return the size in bytes of an element in memory; raises `TypeError` for other types."""
    if isinstance(type_, ir.IntegerType | ir.FloatType):
        return -(-type_.width // 8)
    if isinstance(type_, ir.ComplexType):
        return 2 * element_bytes(type_.element_type)
    if isinstance(type_, ir.VectorType):
        return math.prod(type_.shape) * element_bytes(type_.element_type)
    raise TypeError(f"elements of type {type_} have no size")


def natural_alignment(type_: ir.Type) -> int:
    """Return the alignment that C and LLVM expect: the element size, rounded up to a power of 2."""
    return 1 << (element_bytes(type_) - 1).bit_length()


def _facts(pool: PoolOp) -> DeclaredPool:
    bounds = list(pool.reserved or ())
    return DeclaredPool(
        name=pool.sym_name.value,
        kind=PoolKind(pool.kind.value),
        capacity=_number(pool.capacity),
        alignment=_number(pool.alignment) or DEFAULT_ALIGNMENT,
        reserved=tuple(zip(bounds[::2], bounds[1::2], strict=True)),
        readers=_devices(pool.readers),
        writers=_devices(pool.writers),
        section=None if pool.section is None else pool.section.value,
        start=_number(pool.start) or 0,
        unit=_number(pool.unit) or 1,
        base=_number(pool.base),
        local=pool.local,
        fill=Fill.rom if pool.fill is None else Fill(pool.fill.value),
    )


def _number(attribute: ir.IntegerAttr | None) -> int | None:
    return None if attribute is None else attribute.value


def _devices(names: ir.ArrayAttr | None) -> tuple[str, ...] | None:
    return None if names is None else tuple(ir.FlatSymbolRefAttr(name).value for name in names)
