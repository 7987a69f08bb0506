"""Writer of a region in the order that the list scheduler found."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from forebay.dialects import accel
from forebay.ir.identity import identity_of
from forebay.ir.nested import ops_in
from forebay.scheduling.started import start_operation
from forebay.scheduling.straight.items import SchedulingRegion
from forebay.scheduling.straight.tasks import Order, Run


def write_order(region: SchedulingRegion, order: Order) -> None:
    """Move the ops of a region into the order, and start those that a queue runs.

    An op that only defines a value moves in front of the first op that uses it.
    """
    writer = _Writer(region)
    for step in order.steps:
        if isinstance(step, Run):
            writer.run(step)
        else:
            writer.wait(step.tasks)
    writer.finish()


class _Writer:
    def __init__(self, region: SchedulingRegion) -> None:
        self._items = region.items
        self._end = region.end
        self._left = {identity_of(op): op for op in region.ops}
        """The ops that were not moved yet, in program order."""
        self._tokens: dict[int, ir.Value] = {}

    def run(self, step: Run) -> None:
        """Run or start an item."""
        item = self._items[step.task]
        self._move(item.op)
        if isinstance(item.op, (accel.MoveOp, accel.CallOp)) and item.queue is not None:
            after = [self._tokens[task] for task in step.after]
            with ir.InsertionPoint(item.op):
                token = start_operation(item.op, list(item.op.operands), after)
            self._tokens[step.task] = token
            item.op.operation.erase()

    def wait(self, tasks: Sequence[int]) -> None:
        """Wait for started items."""
        with ir.InsertionPoint(self._end), self._items[tasks[-1]].location:
            accel.WaitOp([self._tokens[task] for task in tasks])

    def finish(self) -> None:
        """Move the ops that nothing used after all others."""
        for op in list(self._left.values()):
            self._move(op)

    def _move(self, op: ir.OpView) -> None:
        """Move an op, and first those that define its operands, after what was moved so far."""
        if self._left.pop(identity_of(op), None) is None:
            return
        for inner in ops_in(op):
            for value in inner.operands:
                if not isinstance(value.owner, ir.Block):
                    self._move(value.owner.opview)
        op.move_before(self._end)
