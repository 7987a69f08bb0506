"""What the rewrites of transfers have in common: copies, what they need, what is in flight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard

from mlir import ir
from mlir.dialects import arith, func, memref, scf

from forebay.dialects import accel, memref_pool
from forebay.ir.effects import Effect, Memory
from forebay.ir.linear import constant_index
from forebay.ir.nested import ops_nested_in
from forebay.ir.op_classes import VIEW_OPS

Copy = accel.MoveOp | memref.CopyOp | memref_pool.CopyOp

MAKERS = (memref_pool.AllocOp, memref.GetGlobalOp)
ARITHMETIC = (arith.AddIOp, arith.ConstantOp, arith.MulIOp, arith.SubIOp)
PURE = (*VIEW_OPS, *MAKERS, *ARITHMETIC)
"""Ops that give a value and do nothing else."""


def is_copy(op: ir.OpView) -> TypeGuard[Copy]:
    """Whether the op copies its first memref to its second, all of it, before the host goes on."""
    if isinstance(op, memref_pool.CopyOp):
        return isinstance(op.source.type, ir.MemRefType)
    return isinstance(op, (accel.MoveOp, memref.CopyOp))


def ends_of(copy: Copy, memory: Memory) -> tuple[Effect, Effect]:
    """What a copy reads, and what it writes."""
    read, write = memory.effects_of(copy)
    return read, write


def in_flight(function: func.FuncOp, memory: Memory) -> list[Effect]:
    """What operations use that a function starts and does not wait for at once."""
    started = [op for op in ops_nested_in(function) if is_started(op)]
    return list(memory.effects_in(started))


def is_started(op: ir.OpView) -> bool:
    """Whether the op gives something to a queue."""
    return isinstance(op, (accel.StartOp, accel.LaunchOp))


def trips(loop: scf.ForOp) -> int | None:
    """How often a loop runs; None where only the run tells."""
    numbers = [constant_index(v) for v in (loop.lowerBound, loop.upperBound, loop.step)]
    low, end, step = numbers
    if low is None or end is None or step is None:
        return None
    return max(0, -(-(end - low) // step))


def body_of(loop: scf.ForOp) -> list[ir.OpView]:
    """The ops of an iteration, without the one that ends it."""
    return list(loop.body.operations)[:-1]


def needs_of(op: ir.OpView, block: ir.Block) -> list[ir.OpView] | None:
    """The pure ops of the block that an op's operands come from, in order.

    None where they come from something else in there: from its arguments, say.
    """
    found: dict[ir.OpView, None] = {}
    for value in op.operands:
        if isinstance(value.owner, ir.Block):
            if value.owner == block:
                return None
            continue
        giver = value.owner.opview
        if giver.operation.block != block:
            continue
        behind = needs_of(giver, block) if isinstance(giver, PURE) else None
        if behind is None:
            return None
        found |= dict.fromkeys([*behind, giver])
    return list(found)


def allocs_in(ops: Sequence[ir.OpView]) -> list[memref_pool.AllocOp]:
    """The buffers that ops make."""
    return [op for op in ops if isinstance(op, memref_pool.AllocOp)]


def number_of(alloc: memref_pool.AllocOp, memory: Memory) -> int:
    """A buffer's number among the roots."""
    (number,) = memory.liveness.aliases[alloc.memref]
    return number


def is_local_to(function: func.FuncOp, effect: Effect, memory: Memory) -> bool:
    """Whether nobody outside of the function can read what the effect is on.

    Its own allocations end with it; what a caller hands to it, and globals, are read afterwards.
    """
    roots = memory.liveness.roots
    return effect.buffers is not None and all(
        isinstance(b, int)
        and isinstance(roots[b].op, memref_pool.AllocOp)
        and _is_inside(roots[b].op, function)
        for b in effect.buffers
    )


def _is_inside(op: ir.OpView | None, function: func.FuncOp) -> bool:
    around = None if op is None else op.operation.parent
    while around is not None and around != function.operation:
        around = around.operation.parent
    return around is not None


def drop_unused(op: ir.OpView) -> None:
    """Erase an op of which nobody uses the result, and then those behind it."""
    if not isinstance(op, PURE) or any(True for result in op.results for _ in result.uses):
        return
    behind: list[Any] = [v.owner for v in op.operands if not isinstance(v.owner, ir.Block)]
    op.operation.erase()
    for giver in dict.fromkeys(behind):
        drop_unused(giver.opview)
