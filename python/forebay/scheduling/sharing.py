"""Blocks that are loaded into two buffers though one would do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from mlir import ir
from mlir.dialects import func

from forebay.dialects import accel
from forebay.dialects.memref_pool import AllocOp
from forebay.ir.effects import Memory, conflict
from forebay.ir.nested import ops_nested_in
from forebay.scheduling.moving import drop_unused, ends_of, in_flight, number_of
from forebay.scheduling.room import Room, Wish
from forebay.scheduling.round_trips import blocks_in, is_same


def share(function: func.FuncOp, memory: Memory, room: Room) -> bool:
    """Let the users of one load use an earlier one of the same block; False where none may."""
    flying = in_flight(function, memory)
    for block in blocks_in(function):
        ops = list(block.operations)
        loads = [op for op in ops if _is_load(op, function, memory)]
        for number, first in enumerate(loads):
            for second in loads[number + 1 :]:
                span = ops[ops.index(first) : ops.index(second) + 1]
                if conflict(flying, ends_of(first, memory)) or conflict(
                    flying, ends_of(second, memory)
                ):
                    continue
                if _is_repeated(first, second, span, memory) and _merge(
                    first, second, function, memory, room
                ):
                    return True
    return False


def _is_load(op: ir.OpView, function: func.FuncOp, memory: Memory) -> TypeGuard[accel.MoveOp]:
    """Whether the op fills a buffer of this block that nothing else writes."""
    if not isinstance(op, accel.MoveOp) or isinstance(op.target.owner, ir.Block):
        return False
    alloc = op.target.owner.opview
    if not isinstance(alloc, AllocOp) or alloc.operation.block != op.operation.block:
        return False
    _, write = ends_of(op, memory)
    return not any(
        effect.writes and effect.may_share(write)
        for other in ops_nested_in(function)
        if other != op
        for effect in memory.own_effects_of(other)
    )


def _is_repeated(
    first: accel.MoveOp, second: accel.MoveOp, span: Sequence[ir.OpView], memory: Memory
) -> bool:
    (read, _), (again, _) = ends_of(first, memory), ends_of(second, memory)
    return (
        first.target.type == second.target.type
        and is_same(read, first.source, again, second.source)
        and not any(e.writes and e.may_meet(read) for e in memory.effects_in(span))
    )


def _merge(
    first: accel.MoveOp, second: accel.MoveOp, function: func.FuncOp, memory: Memory, room: Room
) -> bool:
    """Keep the first buffer for the users of both, if that leaves room for all others."""
    kept, gone = first.target.owner.opview, second.target.owner.opview
    assert isinstance(kept, AllocOp) and isinstance(gone, AllocOp)
    if kept.alignment != gone.alignment or kept.pinned != gone.pinned:
        return False
    _, write = ends_of(second, memory)
    users = [
        op
        for op in ops_nested_in(function)
        if any(effect.may_share(write) for effect in memory.own_effects_of(op))
    ]
    if not room.fits([Wish(number_of(kept, memory), [first, *users])]):
        return False
    if gone.operation.is_before_in_block(kept.operation):
        kept.move_before(gone)
    source = second.source
    second.operation.erase()
    gone.memref.replace_all_uses_with(kept.memref)
    gone.operation.erase()
    if not isinstance(source.owner, ir.Block):
        drop_unused(source.owner.opview)
    return True
