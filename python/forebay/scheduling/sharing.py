"""Merging of loads: one buffer instead of two with the same block."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable

from mlir import ir

from forebay.dialects import accel
from forebay.dialects.memref_pool import AllocOp
from forebay.ir.liveness.memory_effects import MemoryEffect
from forebay.scheduling.accesses import BlockAccesses
from forebay.scheduling.moving import Context, blocks_in, drop_unused
from forebay.scheduling.trial_plan import LifetimeExtension


def share(context: Context) -> bool:
    """Let the users of a load use an earlier load of the same block; return whether any changed.

    Afterwards the views of the erased buffers are views of others.
    """
    merged = [_share_in(block, context) for block in list(blocks_in(context.function.function))]
    return any(merged)


def _share_in(block: ir.Block, context: Context) -> bool:
    accesses = BlockAccesses(block, context.effects)
    groups: dict[Hashable, list[tuple[int, accel.MoveOp]]] = defaultdict(list)
    for place, op in enumerate(accesses.ops):
        if op is not None and isinstance(op, accel.MoveOp) and _is_load(op, context):
            groups[_kind_of(op, context)].append((place, op))
    merged = [_share_group(loads, accesses, context) for loads in groups.values()]
    return any(merged)


def _is_load(op: accel.MoveOp, context: Context) -> bool:
    """Return whether the op fills a buffer of this block that no other op writes."""
    if isinstance(op.target.owner, ir.Block) or not context.is_movable(op):
        return False
    alloc = op.target.owner.opview
    if not isinstance(alloc, AllocOp) or alloc.operation.block != op.operation.block:
        return False
    _, write = context.ends_of(op)
    return not any(effect.writes for effect in context.function.users(write, but=(op,)))


def _kind_of(op: accel.MoveOp, context: Context) -> Hashable:
    """Return a key that is equal for loads of one block into interchangeable buffers."""
    read, _ = context.ends_of(op)
    identity = None if read.region is None else read.region.identity
    alloc = op.target.owner.opview
    assert isinstance(alloc, AllocOp)
    shape = (op.target.type, alloc.alignment, alloc.pinned)
    return (op.source if identity is None else identity, *shape)


def _share_group(
    loads: list[tuple[int, accel.MoveOp]], accesses: BlockAccesses, context: Context
) -> bool:
    """Merge each load with the last kept one if no op writes its source in between."""
    merged = False
    first: accel.MoveOp | None = None
    start, users = 0, list[MemoryEffect]()
    for place, op in loads:
        read, write = context.ends_of(op)
        effects = [effect for effect in context.function.users(write) if effect.op != op]
        if first is not None and not any(
            start < access.place < place for access in accesses.overlapping_writes(read)
        ):
            ops = [first, *(effect.op for effect in (*users, *effects))]
            if context.plan.admits([LifetimeExtension(first.target, ops)]):
                _merge(first, op, context)
                users += effects
                merged = True
                continue
        first, start, users = op, place, effects
    return merged


def _merge(first: accel.MoveOp, second: accel.MoveOp, context: Context) -> None:
    """Replace the second buffer by the first for all users, and erase the second load."""
    kept, gone = first.target.owner.opview, second.target.owner.opview
    assert isinstance(kept, AllocOp) and isinstance(gone, AllocOp)
    if gone.operation.is_before_in_block(kept.operation):
        kept.move_before(gone)
    source = second.source
    context.function.remove(second)
    second.operation.erase()
    gone.memref.replace_all_uses_with(kept.memref)
    gone.operation.erase()
    if not isinstance(source.owner, ir.Block):
        drop_unused(source.owner.opview)
