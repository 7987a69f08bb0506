"""accel-hoist-transfers: what transfers move again and again is moved once."""

from dataclasses import dataclass
from typing import ClassVar

from mlir import ir
from mlir.dialects.builtin import ModuleOp

from forebay.dialects import accel
from forebay.ir.liveness.memory_effects import MemoryEffects
from forebay.ir.machine.pools import pools_in
from forebay.ir.machine.transfers import transfers_in
from forebay.ir.memory.roots import functions_in
from forebay.ir.module import module_of
from forebay.ir.nested import ops_nested_in
from forebay.passes._pass import Pass
from forebay.scheduling.accesses import FunctionAccesses
from forebay.scheduling.hoist import hoist
from forebay.scheduling.moving import Context, is_copy
from forebay.scheduling.round_trips import shorten
from forebay.scheduling.sharing import share
from forebay.scheduling.trial_plan import TrialPlan


@dataclass(frozen=True)
class AccelHoistTransfers(Pass):
    """Move copies out of loops, and remove those that move what is there already.

    A copy whose operands are the same in every iteration goes in front of the loop, with the buffer
    that it fills, where nothing in the loop writes what it reads or writes; a store behind it,
    where nothing in the loop uses what it writes, and the loop is known to run. A way back to where
    bytes come from disappears; a copy of what was only just copied reads the original; what is
    overwritten before it is read is not stored; and what is loaded into two buffers, into one.

    What is in flight is left alone, and so is a buffer that would live longer than its pool has
    room for. Buffers that nobody uses any more go.
    """

    name: ClassVar[str] = "accel-hoist-transfers"
    dialects: ClassVar[tuple[str, ...]] = ("accel", "memref_pool")

    def run(self, op: ir.Operation) -> None:
        """Rewrite in rounds, each with analyses of what the one before has left."""
        module = module_of(op)
        while any(isinstance(inner, accel.MoveOp) for inner in ops_nested_in(op)):
            if not _rewrite(module):
                return


def _rewrite(module: ModuleOp) -> bool:
    """One round; whether another one may find more."""
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
