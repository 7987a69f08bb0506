"""accel-hoist-transfers: remove repeated and redundant copies."""

from typing import ClassVar

from mlir import ir
from mlir.dialects.builtin import ModuleOp

from forebay.dialects import accel
from forebay.ir.liveness.memory_effects import MemoryEffects
from forebay.ir.machine.pools import pools_in
from forebay.ir.machine.transfers import transfers_in
from forebay.ir.memory.underlying_buffers import functions_in
from forebay.ir.module import module_of
from forebay.ir.nested import ops_nested_in
from forebay.passes._pass import Pass
from forebay.scheduling.accesses import FunctionAccesses
from forebay.scheduling.hoist import hoist
from forebay.scheduling.moving import Context, is_copy
from forebay.scheduling.round_trips import shorten
from forebay.scheduling.sharing import share
from forebay.scheduling.trial_plan import TrialPlan


class AccelHoistTransfers(Pass):
    """Move loop-invariant copies out of loops, and remove redundant copies.

    A copy whose operands are the same in every iteration moves in front of the loop, together with
    the buffer that it fills, if nothing else in the loop writes what the copy reads or writes. A
    store moves behind the loop if nothing else in the loop uses what it writes and the loop is
    known to run. A copy back to the place where the bytes came from is removed. A copy of a fresh
    copy reads the original instead. A store that is overwritten before it is read is removed. Two
    loads of the same block into two buffers become one load into one buffer.

    The pass does not move a copy that conflicts with an in-flight operation, or a copy that would
    make a buffer live longer than its pool has room for. It erases buffers that have no more uses.
    """

    name: ClassVar[str] = "accel-hoist-transfers"
    dialects: ClassVar[tuple[str, ...]] = ("accel", "memref_pool")
    needs: ClassVar[tuple[str, ...]] = ("accel.move",)

    def run(self, op: ir.Operation) -> None:
        """Rewrite in rounds; each round analyses what the round before has left."""
        module = module_of(op)
        while any(isinstance(inner, accel.MoveOp) for inner in ops_nested_in(op)):
            if not _rewrite(module):
                return


def _rewrite(module: ModuleOp) -> bool:
    """Run one round, and return whether another round may find more."""
    effects, plan = MemoryEffects(module), TrialPlan(module)
    pools, transfers = pools_in(module.operation), transfers_in(module)
    shortened = moved = False
    for function in functions_in(module):
        if not any(is_copy(op) for op in ops_nested_in(function)):
            continue
        accesses = FunctionAccesses(function, effects)
        context = Context(accesses, effects, plan, pools, transfers)
        shortened = shorten(context) or shortened
        hoisted = hoist(context)
        moved = share(context) or hoisted or moved
    return moved or (shortened and plan.has_refused)
