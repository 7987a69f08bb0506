"""accel-overlap-calls: run the transfers and calls of straight-line code in parallel queues."""

from typing import ClassVar

from mlir import ir
from mlir.dialects.builtin import ModuleOp

from forebay.ir.module import module_of
from forebay.ir.nested import ops_nested_in
from forebay.ir.problem.problem import problem_of
from forebay.passes._pass import Pass, option
from forebay.scheduling.straight.inline import inline_stages
from forebay.scheduling.straight.items import Commands
from forebay.scheduling.straight.overlap import overlapped_regions, set_reason
from forebay.scheduling.straight.write import write_order
from forebay.scheduling.trial_plan import trial_plan_of
from forebay.support.records import record

_SHARES = (1.0, 0.5, 0.25)
"""The parts of a pool's free bytes that longer lifetimes may take, one trial plan each."""


@record
class AccelOverlapCalls(Pass):
    """Issue the transfers and calls of straight-line code to their queues.

    The ops of a block between two barriers are scheduled by list scheduling on the modelled times:
    those that have a queue become asynchronous commands, ordered by tokens, and may start before
    their turn. The host keeps the order of its own ops and waits for what they access. A barrier is
    an op that starts or waits for operations itself; nothing is started while an operation that the
    program started itself is in flight. Functions of devices' stages with one call are inlined
    first, so the weights of a layer are loaded while the layer before is computed.

    An operation starts ahead only if its consumer is one of the next `in-flight` operations of its
    kind, if its queue has room, and if its buffers fit beside all others. A trial plan confirms
    that the longer lifetimes fit; else the pass uses a part of the free bytes, or leaves the
    program as it is. The first operation of straight-line code without overlap gets the reason as
    the attribute `accel.unoverlapped`.
    """

    name: ClassVar[str] = "accel-overlap-calls"
    dialects: ClassVar[tuple[str, ...]] = ("accel", "arith", "memref_pool", "scf")
    needs: ClassVar[tuple[str, ...]] = ("accel.call", "accel.move")

    in_flight: int = option(
        2, "operations of a kind that may run ahead; 1 leaves straight-line code as it is", least=1
    )

    def run(self, op: ir.Operation) -> None:
        """Overlap as much as a trial plan has room for."""
        module = module_of(op)
        commands = Commands(module)
        if self.in_flight == 1 or not any(commands.queue_of(o) for o in ops_nested_in(op)):
            return
        before = module.operation.clone()
        for share in _SHARES:
            inline_stages(module, Commands(module))
            found = overlapped_regions(module, self.in_flight, share)
            if not found:
                return
            for each in found:
                write_order(each.region, each.order)
            if trial_plan_of(problem_of(module)) is not None:
                return
            _restore(module, before)
        for each in overlapped_regions(module, self.in_flight, 0.0):
            set_reason(each.region, "no plan was found that has room for longer lifetimes")


def _restore(module: ModuleOp, before: ir.Operation) -> None:
    """Replace the ops of the module by clones of those before."""
    for op in list(module.body.operations):
        op.operation.erase()
    for op in before.regions[0].blocks[0].operations:
        op.operation.clone(ir.InsertionPoint(module.body))
