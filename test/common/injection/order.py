"""Which started operations are certain to be over when others begin: queues, tokens and waits."""

from __future__ import annotations

from mlir import ir

from forebay.dialects.accel import LaunchOp, StartOp, WaitOp
from forebay.dialects.memref_pool import AllocOp
from forebay.ir.machine.devices import intrinsic_of
from forebay.ir.machine.transfers import queue_of, transfer_of
from forebay.ir.nested import ops_nested_in

STARTS = (StartOp, LaunchOp)


def queue_name(op: StartOp | LaunchOp) -> str:
    """The queue that an operation is started in."""
    queue = queue_of(intrinsic_of(op) if isinstance(op, LaunchOp) else transfer_of(op))
    assert queue is not None  # says the verifier
    return queue.sym_name.value


class Order:
    """Of a program without loops, whose buffers started operations alone use."""

    def __init__(self, module: ir.Operation) -> None:
        self._before: dict[ir.OpView, set[ir.OpView]] = {}
        known: set[ir.OpView] = set()
        last: dict[str, ir.OpView] = {}
        for op in ops_nested_in(module):
            if isinstance(op, WaitOp):
                for token in op.tokens:
                    known |= self._until(token.owner.opview)
            elif isinstance(op, STARTS):
                before = set(known)
                queue = queue_name(op)
                for earlier in (last.get(queue), *(token.owner.opview for token in op.after)):
                    before |= set() if earlier is None else self._until(earlier)
                self._before[op] = before
                last[queue] = op

    def are_apart(self, one: AllocOp, other: AllocOp) -> bool:
        """Whether all that uses one buffer is over before anything uses the other."""
        users, others = self._users(one), self._users(other)
        if not users or not others or not {*users, *others} <= set(self._before):
            return False
        return all(o in self._before[u] for u in users for o in others) or all(
            u in self._before[o] for u in users for o in others
        )

    def _until(self, op: ir.OpView) -> set[ir.OpView]:
        return {op, *self._before[op]}

    def _users(self, alloc: AllocOp) -> list[ir.OpView]:
        return [use.owner.opview for use in alloc.memref.uses]
