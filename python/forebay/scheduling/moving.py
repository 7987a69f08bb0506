"""What the rewrites of transfers have in common: copies, what they need, what is in flight."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from mlir import ir
from mlir.dialects import arith, func, memref, scf

from forebay.dialects import accel, memref_pool
from forebay.ir.liveness.memory_effects import MemoryEffect, MemoryEffects, conflict
from forebay.ir.machine.pools import DeclaredPool
from forebay.ir.memory.linear import constant_index
from forebay.ir.memory.op_classes import VIEW_OPS
from forebay.ir.nested import ops_nested_in
from forebay.scheduling.accesses import FunctionAccesses
from forebay.scheduling.trial_plan import TrialPlan

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


@dataclass(frozen=True)
class Context:
    """What the rewrites of a function's copies ask."""

    function: FunctionAccesses
    effects: MemoryEffects
    plan: TrialPlan
    pools: Mapping[str, DeclaredPool]
    transfers: Sequence[accel.TransferOp]

    def ends_of(self, copy: Copy) -> tuple[MemoryEffect, MemoryEffect]:
        """What a copy reads, and what it writes."""
        read, write = self.effects.own_effects_of(copy)
        return read, write

    def is_movable(self, op: ir.OpView) -> TypeGuard[Copy]:
        """Whether the op is a copy that may be moved or go, as far as it is on its own.

        What is in flight is over at a time of its own; and to copy a block onto a part of itself
        does not do the same twice.
        """
        if not is_copy(op):
            return False
        read, write = self.ends_of(op)
        return not read.may_overlap(write) and not conflict(self.effects.in_flight, (read, write))

    def erase(self, copy: Copy) -> None:
        """Take a copy away, and what only it has used."""
        self.function.remove(copy)
        givers = [v.owner for v in copy.operands if not isinstance(v.owner, ir.Block)]
        copy.operation.erase()
        for giver in dict.fromkeys(givers):
            drop_unused(giver.opview)


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


def drop_unused(op: ir.OpView) -> None:
    """Erase an op of which nobody uses the result, and then those behind it."""
    if not isinstance(op, PURE) or any(True for result in op.results for _ in result.uses):
        return
    behind: list[Any] = [v.owner for v in op.operands if not isinstance(v.owner, ir.Block)]
    op.operation.erase()
    for giver in dict.fromkeys(behind):
        drop_unused(giver.opview)


def blocks_in(function: func.FuncOp) -> Iterator[ir.Block]:
    """Its body, and all blocks inside."""
    for op in (function, *ops_nested_in(function)):
        for region in op.operation.regions:
            yield from region.blocks
