"""accel-hoist-transfers: remove repeated and redundant copies."""

from collections.abc import Sequence
from typing import ClassVar

from mlir import ir
from mlir.dialects import func
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
    store moves after the loop if nothing else in the loop uses what it writes and the loop is
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
        functions = functions_in(module)
        while functions and any(isinstance(inner, accel.MoveOp) for inner in ops_nested_in(op)):
            functions = _rewrite(module, functions)


def _rewrite(module: ModuleOp, functions: Sequence[func.FuncOp]) -> Sequence[func.FuncOp]:
    """Run one round on some functions, and return those in which another may find more.

    These are the functions in which copies moved, and their callers; or all functions, if the trial
    plan has refused a request, because it may have room for it now.
    """
    effects, plan = MemoryEffects(module), TrialPlan(module)
    pools, transfers = pools_in(module.operation), transfers_in(module)
    shortened, moved = False, list[func.FuncOp]()
    for function in functions:
        if not any(is_copy(op) for op in ops_nested_in(function)):
            continue
        accesses = FunctionAccesses(function, effects)
        context = Context(accesses, effects, plan, pools, transfers)
        shortened = shorten(context) or shortened
        hoisted = hoist(context)
        if share(context) or hoisted:
            moved.append(function)
    if plan.has_refused:
        return functions_in(module) if moved or shortened else ()
    return _with_callers(module, moved)


def _with_callers(module: ModuleOp, functions: Sequence[func.FuncOp]) -> Sequence[func.FuncOp]:
    """Return functions and those that call them, also through others."""
    found = {function.sym_name.value for function in functions}
    all_ = functions_in(module)
    calls = {f.sym_name.value: _callees(f) for f in all_} if found else {}
    while more := {name for name, callees in calls.items() if callees & found} - found:
        found |= more
    return [function for function in all_ if function.sym_name.value in found]


def _callees(function: func.FuncOp) -> set[str]:
    return {op.callee.value for op in ops_nested_in(function) if isinstance(op, func.CallOp)}
