"""Pools of a module, and the pools and sizes that types state."""

from __future__ import annotations

import math
from collections.abc import Mapping

from mlir import ir

from forebay.dialects.memref_pool import PoolOp, SpaceAttr
from forebay.ir.attributes import entries_of, integers_of
from forebay.ir.module import ops_in_body
from forebay.pools import DEFAULT_ALIGNMENT, ByteRange, Fill, Pool, PoolKind

Pools = Mapping[str, Pool]
"""The pools of a module by name, in the module's order."""


def pool_ops(module: ir.Operation) -> list[PoolOp]:
    """Return the pools of a module, in their order."""
    return ops_in_body(module, PoolOp)


def pools_in(module: ir.Operation) -> Mapping[str, Pool]:
    """Return the pools of a module by name, in their order."""
    return {pool.name: pool for pool in map(pool_of, pool_ops(module))}


def registers_in(module: ir.Operation) -> frozenset[str]:
    """Return the names of the pools that are registers."""
    return frozenset(op.sym_name.value for op in pool_ops(module) if op.is_register)


def pool_of(op: PoolOp) -> Pool:
    """Return the pool that an op of a module or of a planning problem declares."""
    bounds = () if op.reserved is None else integers_of(op.reserved)
    return Pool(
        op.sym_name.value,
        PoolKind(op.kind.value),
        capacity=_number(op.capacity),
        alignment=_number(op.alignment) or (1 if op.is_register else DEFAULT_ALIGNMENT),
        reserved=tuple(map(ByteRange, bounds[::2], bounds[1::2])),
        start=_number(op.start) or 0,
        base=_number(op.base),
        unit=_number(op.capacity if op.is_register else op.unit) or 1,
        banks=_number(op.banks) or 1,
        cost=_number(op.cost),
        weight=1 if op.weight is None else op.weight.value,
        section=None if op.section is None else op.section.value,
        readers=_devices(op.readers),
        writers=_devices(op.writers),
        fill=Fill.rom if op.fill is None else Fill(op.fill.value),
        local=op.local,
        is_register=op.is_register,
    )


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


def _number(attribute: ir.IntegerAttr | None) -> int | None:
    return None if attribute is None else attribute.value


def _devices(names: ir.ArrayAttr | None) -> tuple[str, ...] | None:
    if names is None:
        return None
    return tuple(ir.FlatSymbolRefAttr(name).value for name in entries_of(names))
