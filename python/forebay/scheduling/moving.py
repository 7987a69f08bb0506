"""Common code of the rewrites of transfers: copies, their operands, and what is in flight."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeGuard

from mlir import ir
from mlir.dialects import arith, func, memref, scf
from msgspec import Struct

from forebay.dialects import accel, memref_pool
from forebay.ir.liveness.memory_effects import MemoryEffect, MemoryEffects, conflict
from forebay.ir.memory.loop_counters import counter_range_of
from forebay.ir.nested import ops_nested_in
from forebay.ir.views.queries import is_pure_view
from forebay.pools import Pool
from forebay.scheduling.accesses import FunctionAccesses
from forebay.scheduling.trial_plan import TrialPlan

Copy = accel.MoveOp | memref.CopyOp | memref_pool.CopyOp

MAKERS = (memref_pool.AllocOp, memref.GetGlobalOp)
_ARITHMETIC = (arith.AddIOp, arith.ConstantOp, arith.MulIOp, arith.SubIOp)


def is_definition(op: ir.OpView) -> bool:
    """Return whether the op only defines a value and has no other effect."""
    return isinstance(op, (*MAKERS, *_ARITHMETIC)) or is_pure_view(op)


def is_copy(op: ir.OpView) -> TypeGuard[Copy]:
    """Return whether the op copies all of its first memref to its second, synchronously."""
    if isinstance(op, memref_pool.CopyOp):
        return isinstance(op.source.type, ir.MemRefType)
    return isinstance(op, (accel.MoveOp, memref.CopyOp))


class Context(Struct, frozen=True):
    """The analyses that the rewrites of a function's copies use."""

    function: FunctionAccesses
    effects: MemoryEffects
    plan: TrialPlan
    pools: Mapping[str, Pool]
    transfers: Sequence[accel.TransferOp]

    def ends_of(self, copy: Copy) -> tuple[MemoryEffect, MemoryEffect]:
        """Return the effect on the source of a copy and the effect on its target."""
        read, write = self.effects.own_effects_of(copy)
        return read, write

    def is_movable(self, op: ir.OpView) -> TypeGuard[Copy]:
        """Return whether the op is a copy that may be moved or removed, looked at alone.

        A copy that may overlap memory of an in-flight operation may not, because that operation
        ends at a time of its own. A copy of a block onto a part of itself may not either, because
        it does something else when it runs twice.
        """
        if not is_copy(op):
            return False
        read, write = self.ends_of(op)
        return not read.may_overlap(write) and not conflict(self.effects.in_flight, (read, write))

    def erase(self, copy: Copy) -> None:
        """Erase a copy, and the ops that only this copy used."""
        self.function.remove(copy)
        producers = [v.owner for v in copy.operands if not isinstance(v.owner, ir.Block)]
        copy.operation.erase()
        for producer in dict.fromkeys(producers):
            drop_unused(producer.opview)


def is_started(op: ir.OpView) -> bool:
    """Return whether the op issues an asynchronous command to a queue."""
    return isinstance(op, (accel.StartOp, accel.LaunchOp))


def trips(loop: scf.ForOp) -> int | None:
    """Return the trip count of a loop, or None if it is known only at run time."""
    counter = counter_range_of(loop)
    return None if counter is None else counter.trips


def body_of(loop: scf.ForOp) -> list[ir.OpView]:
    """Return the ops of an iteration without the terminator."""
    return list(loop.body.operations)[:-1]


def needs_of(op: ir.OpView, block: ir.Block) -> list[ir.OpView] | None:
    """Return the pure ops of the block that define an op's operands, in order.

    Returns None if an operand comes from another source in the block, for example from a block
    argument.
    """
    found: dict[ir.OpView, None] = {}
    for value in op.operands:
        if isinstance(value.owner, ir.Block):
            if value.owner == block:
                return None
            continue
        producer = value.owner.opview
        if producer.operation.block != block:
            continue
        behind = needs_of(producer, block) if is_definition(producer) else None
        if behind is None:
            return None
        found |= dict.fromkeys([*behind, producer])
    return list(found)


def allocs_in(ops: Sequence[ir.OpView]) -> list[memref_pool.AllocOp]:
    """Return the allocations among the ops."""
    return [op for op in ops if isinstance(op, memref_pool.AllocOp)]


def drop_unused(op: ir.OpView) -> None:
    """Erase an op whose results have no uses, then the ops that define its operands."""
    if not is_definition(op) or any(True for result in op.results for _ in result.uses):
        return
    behind: list[Any] = [v.owner for v in op.operands if not isinstance(v.owner, ir.Block)]
    op.operation.erase()
    for producer in dict.fromkeys(behind):
        drop_unused(producer.opview)


def blocks_in(function: func.FuncOp) -> Iterator[ir.Block]:
    """Yield the function's body and all blocks inside it."""
    for op in (function, *ops_nested_in(function)):
        for region in op.operation.regions:
            yield from region.blocks
