"""accel-pipeline-loops: load and store tiles while other tiles are computed."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from mlir import ir
from mlir.dialects import func, scf
from mlir.dialects.builtin import ModuleOp

from forebay.dialects import accel
from forebay.ir.liveness.memory_effects import MemoryEffects
from forebay.ir.locations import describe_location
from forebay.ir.loops import UNPIPELINED
from forebay.ir.memory.underlying_buffers import functions_in
from forebay.ir.module import module_of
from forebay.ir.nested import ops_nested_in
from forebay.passes._pass import Pass, option
from forebay.scheduling.loop_order import order_of
from forebay.scheduling.loop_parts import (
    LoopParts,
    NotPipelinedError,
    parts_of,
)
from forebay.scheduling.moving import body_of, trips
from forebay.scheduling.pipeline import write_pipelined_loop
from forebay.scheduling.queue_users import QueueUsers
from forebay.scheduling.trial_plan import LifetimeExtension, TrialPlan
from forebay.support.records import record


@record
class AccelPipelineLoops(Pass):
    """Issue the transfers and calls of a loop to their queues, with `slots` buffers for each tile.

    The pass pipelines an `scf.for` whose body has an `accel.move` by a transfer with a queue. A
    buffer that each iteration fills becomes `slots` buffers; iteration i uses slot i mod `slots`. A
    load is a transfer that fills a slot before anything else uses it, or a call that does so from
    memory that the loop does not write. Loads run `slots` iterations ahead. Transfers and calls
    that have a queue become asynchronous commands, ordered by tokens. The host waits for the
    command that used a slot before. The pass unrolls the loop by the number of slots, so that
    addresses are constants.

    `slots` is the maximum. A loop gets fewer slots if a queue is not deep enough for each of its
    operations `slots` times, if a pool has no room, or if the loop runs fewer iterations. A loop
    that is not pipelined gets the reason as the attribute `accel.unpipelined`, for example if its
    iterations depend on each other through memory and no queue orders them, or if a loop inside of
    it is pipelined. The pass does not change a function that issues asynchronous commands itself, a
    function called from it, or a loop that calls it.
    """

    name: ClassVar[str] = "accel-pipeline-loops"
    dialects: ClassVar[tuple[str, ...]] = ("accel", "arith", "memref_pool", "scf")
    needs: ClassVar[tuple[str, ...]] = ("accel.move",)

    slots: int = option(2, "buffers for each tile; 1 leaves loops as they are", least=1)

    def run(self, op: ir.Operation) -> None:
        """Rewrite loops, inner loops first."""
        module = module_of(op)
        pipeliner = _Pipeliner(module, QueueUsers(module), self.slots)
        for function in functions_in(module) if self.slots > 1 else ():
            if not function.is_external:
                pipeliner.pipeline_loops_of(function)


@dataclass(frozen=True)
class _Pipeliner:
    """The analyses of a module, kept while one loop after another is rewritten."""

    module: ModuleOp
    users: QueueUsers
    slots: int

    @cached_property
    def _effects(self) -> MemoryEffects:
        return MemoryEffects(self.module)

    @cached_property
    def _plan(self) -> TrialPlan:
        return TrialPlan(self.module)

    def pipeline_loops_of(self, function: func.FuncOp) -> None:
        """Rewrite the loops of a function, inner loops first."""
        if self.users.may_be_in_flight(function):
            return
        loops = [op for op in ops_nested_in(function) if isinstance(op, scf.ForOp) and _moves(op)]
        for loop in reversed(loops):
            try:
                self._pipeline(loop, function)
            except NotPipelinedError as reason:
                _set_reason(loop, str(reason))

    def _pipeline(self, loop: scf.ForOp, function: func.FuncOp) -> None:
        """Rewrite a loop; it is unchanged after a `NotPipelinedError`."""
        total = trips(loop)
        if total is not None and total < 2:
            return
        parts = parts_of(loop, self._effects, self.users)
        if parts is None:
            return
        order = order_of(parts)
        most = min(self.slots, _by_depth(parts), self.slots if total is None else total)
        count = _with_room(parts, most, self._plan)
        self._plan.forget(loop)
        for outer in _loops_around(loop):
            _set_reason(
                outer,
                f"the loop at {describe_location(loop.location)} inside of it is pipelined, and "
                "ends its operations in each iteration",
            )
        write_pipelined_loop(parts, order, count)
        self._effects.invalidate(function)


def _moves(loop: scf.ForOp) -> bool:
    return any(isinstance(op, accel.MoveOp) for op in body_of(loop))


def _loops_around(loop: scf.ForOp) -> Iterator[scf.ForOp]:
    around = loop.operation.parent
    while around is not None:
        if isinstance(around.opview, scf.ForOp):
            yield around.opview
        around = around.operation.parent


def _set_reason(loop: scf.ForOp, reason: str) -> None:
    loop.operation.attributes[UNPIPELINED] = ir.StringAttr.get(reason)


def _by_depth(parts: LoopParts) -> int:
    """Return how many iterations may be in the queues at once."""
    queues = {part.queue_name: part.queue for part in parts.parts if part.queue is not None}
    each = Counter(part.queue_name for part in parts.parts if part.queue is not None)
    for name, queue in queues.items():
        if queue.depth.value < 2 * each[name]:
            raise NotPipelinedError(
                f"an iteration gives {each[name]} operations to @{name}, which takes "
                f"{queue.depth.value}, but two iterations must be in it at once"
            )
    return min(queue.depth.value // each[name] for name, queue in queues.items())


def _with_room(parts: LoopParts, most: int, plan: TrialPlan) -> int:
    """Return the largest number of slots, at most `most`, for which a plan exists."""
    for count in range(most, 1, -1):
        if plan.admits(
            [LifetimeExtension(slot.memref, [parts.loop], count) for slot in parts.slots]
        ):
            return count
    raise NotPipelinedError("there is no room for a second slot of its buffers")
