"""Storage origins of tensors, and the places that each origin allows before other requirements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum

from mlir import ir
from mlir.dialects import arith, bufferization, func, tensor
from msgspec import Struct

from forebay.assignment import PoolOption
from forebay.dialects.memref_pool import SpaceAttr
from forebay.ir.interfaces import source_of_tensor_view
from forebay.ir.memory.underlying_buffers import is_private
from forebay.pools import Pool, PoolKind

CALLER = ""
"""Represents the caller's memory among the names of pools."""


class StorageOrigin(Enum):
    """The origin of a tensor's storage."""

    CONSTANT = "is a constant"
    INPUT = "is the caller's input"
    HELD = "is kept in a buffer"
    PARAMETER = "is whatever callers hand in, or a part of another tensor"
    COMPUTED = "is computed or overwritten at run time"


def storage_origin_of(value: ir.Value) -> StorageOrigin:
    """Return the origin of the tensor's storage, unless it takes over that of an operand."""
    owner = value.owner
    if isinstance(owner, ir.Block):
        function = owner.owner
        if not isinstance(function, func.FuncOp):
            return StorageOrigin.COMPUTED
        return StorageOrigin.PARAMETER if is_private(function) else StorageOrigin.INPUT
    if isinstance(owner.opview, arith.ConstantOp):
        return StorageOrigin.CONSTANT
    if isinstance(owner.opview, bufferization.ToTensorOp):
        return StorageOrigin.HELD
    is_view = source_of_tensor_view(value) is not None
    return StorageOrigin.PARAMETER if is_view else StorageOrigin.COMPUTED


def is_undefined(value: ir.Value) -> bool:
    """Return whether the tensor has no contents yet, so that another such tensor can replace it."""
    if isinstance(value.owner, ir.Block):
        return False
    op = value.owner.opview
    if isinstance(op, bufferization.AllocTensorOp):
        return op.copy is None
    return isinstance(op, tensor.EmptyOp)


class ToTensorBuffer(Struct, frozen=True):
    """The buffer that a `bufferization.to_tensor` shows."""

    space: ir.Attribute | None
    pools: tuple[str, ...]
    writable: bool


def held_by(value: ir.Value) -> ToTensorBuffer:
    """Return the buffer behind a tensor of origin HELD."""
    assert not isinstance(value.owner, ir.Block)
    space = ir.MemRefType(value.owner.operands[0].type).memory_space
    names = space.pools if isinstance(space, SpaceAttr) else (CALLER,)
    return ToTensorBuffer(space, names, "writable" in value.owner.attributes)


def places_of(value: ir.Value, pools: Mapping[str, Pool]) -> list[PoolOption]:
    """Return all places that the tensor's origin allows.

    The memory of callers is included only where callers pass it.
    """
    names = [pool.name for pool in pools_in_order(pools.values())]
    match storage_origin_of(value):
        case StorageOrigin.CONSTANT:
            return [
                PoolOption(name, False) for name in names if _is(pools, name, PoolKind.constant)
            ]
        case StorageOrigin.INPUT:
            return [PoolOption(CALLER, False)]
        case StorageOrigin.HELD:
            held = held_by(value)
            return [PoolOption(name, held.writable) for name in held.pools]
        case StorageOrigin.COMPUTED:
            return [
                PoolOption(name, True) for name in names if _is(pools, name, PoolKind.workspace)
            ]
        case StorageOrigin.PARAMETER:
            return anywhere(pools)


def anywhere(pools: Mapping[str, Pool]) -> list[PoolOption]:
    """Return all places that exist; constants cannot be overwritten in any of them."""
    names = [pool.name for pool in pools_in_order(pools.values())]
    over = [PoolOption(name, True) for name in names if not _is(pools, name, PoolKind.constant)]
    return [
        *over,
        *(PoolOption(name, False) for name in names),
        PoolOption(CALLER, True),
        PoolOption(CALLER, False),
    ]


def pools_in_order(pools: Iterable[Pool]) -> list[Pool]:
    """Return the pools by kind: workspaces, constants, state; each kind in the module's order."""
    return sorted(pools, key=lambda pool: pool.kind)


def _is(pools: Mapping[str, Pool], name: str, kind: PoolKind) -> bool:
    return pools[name].kind is kind
