"""What a module says about its pools, and a type about its place."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from mlir import ir

from forebay.dialects.memref_pool import Fill, PoolKind, PoolOp, SpaceAttr

DEFAULT_ALIGNMENT = 16
"""Alignment of a pool that says none, in bytes."""


@dataclass(frozen=True)
class DeclaredPool:
    """A `memref_pool.pool`; sizes and offsets in bytes.

    `base` is an absolute address, `start` the first byte that may be used, `unit` the size of a
    row; `reserved` holds half-open ranges; `readers` and `writers` name devices, None meaning all;
    `fill` says who puts the bytes of constants there. A `local` pool is inside a device; without
    lists of who may read and write it, nobody may but the operands that name it. Any other pool
    with a `base` is memory that the program knows by this address alone.
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
        """Whether the device may read the pool."""
        return not self.local if self.readers is None else device in self.readers

    def lets_write(self, device: str) -> bool:
        """Whether the device may write the pool."""
        return not self.local if self.writers is None else device in self.writers

    @property
    def is_mapped(self) -> bool:
        """Whether the host addresses it at a constant base."""
        return self.base is not None and not self.local

    def address(self, offset: int) -> int:
        """The address of a byte in a pool at a fixed base; inside a device that of its row."""
        return (self.base or 0) + (offset // self.unit if self.local else offset)


def pool_ops(module: ir.Operation) -> list[PoolOp]:
    """The pools of a module, in their order."""
    return [op for op in module.regions[0].blocks[0].operations if isinstance(op, PoolOp)]


def pools_in(module: ir.Operation) -> Mapping[str, DeclaredPool]:
    """Facts about the pools of a module by name, in their order."""
    return {pool.name: pool for pool in map(_facts, pool_ops(module))}


def candidates_of(type_: ir.Type) -> tuple[str, ...]:
    """Names of the pools that a memref or a tensor may live in; empty for the caller's memory."""
    space: object = None
    if isinstance(type_, ir.MemRefType):
        space = type_.memory_space
    elif isinstance(type_, ir.RankedTensorType):
        space = type_.encoding
    return space.pools if isinstance(space, SpaceAttr) else ()


def bytes_of(type_: ir.MemRefType) -> int:
    """Size of a buffer of static shape; elements take whole bytes."""
    return math.prod(type_.shape) * element_bytes(type_.element_type)


def element_bytes(type_: ir.Type) -> int:
    """Size of an element in memory; raises `TypeError` where the type has none."""
    if isinstance(type_, ir.IntegerType | ir.FloatType):
        return -(-type_.width // 8)
    if isinstance(type_, ir.ComplexType):
        return 2 * element_bytes(type_.element_type)
    if isinstance(type_, ir.VectorType):
        return math.prod(type_.shape) * element_bytes(type_.element_type)
    raise TypeError(f"elements of type {type_} have no size")


def natural_alignment(type_: ir.Type) -> int:
    """Alignment that C and LLVM expect of an element: its size, as a power of two."""
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
