"""The pool whose base a value is."""

from __future__ import annotations

from typing import Any

from mlir.dialects import func
from mlir.ir import BlockArgument, DictAttr, MemRefType, Operation, Value

from forebay.dialects.memref_pool import AddressOp, SpaceAttr


def pool_name(value: Value) -> str | None:
    """Return the pool whose base a value is, or None for any other value.

    The base is a function argument or, for a pool at a fixed address, a `memref_pool.address`.
    """
    if isinstance(value.type, MemRefType) and not isinstance(value, BlockArgument):
        op = value.owner.opview
        return op.placement.pool if isinstance(op, AddressOp) else None
    if not isinstance(value, BlockArgument) or not isinstance(value.type, MemRefType):
        return None
    block: Any = value.owner
    owner = block.owner
    function = owner.opview if isinstance(owner, Operation) else owner
    if not isinstance(function, func.FuncOp) or not function.arg_attrs:
        return None
    if "memref_pool.base" not in DictAttr(function.arg_attrs[value.arg_number]):
        return None
    return space_name(value.type)


def space_name(type_: MemRefType) -> str | None:
    """Return the only pool of a memref's type; None for the caller's memory or several pools."""
    space = type_.memory_space
    if not isinstance(space, SpaceAttr) or len(space.pools) != 1:
        return None
    return space.pools[0]
