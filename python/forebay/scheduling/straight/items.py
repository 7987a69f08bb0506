"""The ops of a block that the list scheduler orders, in regions between barriers.

A barrier keeps its place: the host waits for everything before it.
"""

from __future__ import annotations

from collections.abc import Callable

from mlir import ir
from msgspec import Struct

from forebay.dialects import accel
from forebay.ir.liveness.memory_effects import MemoryEffect, MemoryEffects
from forebay.ir.machine.tokens import is_token, queue_of_token
from forebay.scheduling.loop_parts import is_pure


class ScheduledOp(Struct, frozen=True):
    """An op that accesses memory or has another effect, and the transfer or intrinsic it uses.

    `command` is None where the host runs the op. `queue` is None where the host waits for it.
    """

    op: ir.OpView
    effects: tuple[MemoryEffect, ...]
    command: accel.TransferOp | accel.IntrinsicOp | None
    queue: accel.QueueOp | None
    location: ir.Location


class Commands:
    """The transfers, intrinsics and queues of a module by name."""

    def __init__(self, module: ir.OpView) -> None:
        ops = list(module.operation.regions[0].blocks[0].operations)
        self._queues = {op.sym_name.value: op for op in ops if isinstance(op, accel.QueueOp)}
        self._commands = {
            op.sym_name.value: op
            for op in ops
            if isinstance(op, (accel.TransferOp, accel.IntrinsicOp))
        }

    def command_of(self, op: ir.OpView) -> accel.TransferOp | accel.IntrinsicOp | None:
        """Return what a synchronous op asks a device for; None for any other op."""
        if isinstance(op, accel.MoveOp):
            return self._commands[op.transfer.value]
        return self._commands[op.callee.value] if isinstance(op, accel.CallOp) else None

    def queue_of(self, op: ir.OpView) -> accel.QueueOp | None:
        """Return the queue in which a synchronous op could run, or None."""
        command = self.command_of(op)
        if command is None or command.queue is None:
            return None
        return self._queues[command.queue.value]


class SchedulingRegion(Struct, frozen=True):
    """A part of a block between barriers: all its ops, and the items among them."""

    ops: tuple[ir.OpView, ...]
    items: tuple[ScheduledOp, ...]
    end: ir.OpView


def scheduling_regions_of(
    block: ir.Block,
    effects: MemoryEffects,
    commands: Commands,
    is_barrier: Callable[[ir.OpView], bool],
) -> list[SchedulingRegion]:
    """Return the regions of a block in which there are two operations for queues, or more."""
    found: list[SchedulingRegion] = []
    ops: list[ir.OpView] = []
    tokens = _OpenTokens()
    *inner, last = block.operations
    for op in (*inner, last):
        if op == last or is_barrier(op):
            items = [_item(other, effects, commands) for other in ops if not is_pure(other)]
            if not tokens.open and sum(item.queue is not None for item in items) > 1:
                found.append(SchedulingRegion(tuple(ops), tuple(items), op))
            ops = []
            tokens.visit(op)
        else:
            ops.append(op)
    return found


class _OpenTokens:
    """The tokens of operations that may be in flight, in the order of their definition."""

    def __init__(self) -> None:
        self.open: dict[ir.Value, accel.QueueOp] = {}
        self._after: dict[ir.Value, list[ir.Value]] = {}

    def visit(self, op: ir.OpView) -> None:
        """Follow a barrier: a start, a wait, or an op that tokens go into and come out of."""
        if isinstance(op, accel.WaitOp):
            self._end(list(op.tokens))
        elif isinstance(op, (accel.StartOp, accel.LaunchOp)):
            self._after[op.token] = list(op.after)
        else:
            for value in op.operands:
                self.open.pop(value, None)
        for result in op.results:
            if is_token(result.type):
                self.open[result] = queue_of_token(result, op)

    def _end(self, pending: list[ir.Value]) -> None:
        """Remove tokens, those before them in their queues, and those that they are behind."""
        while pending:
            token = pending.pop()
            queue = self.open.get(token)
            if queue is None:
                continue
            known = list(self.open)
            for other in known[: known.index(token) + 1]:
                if self.open[other] == queue:
                    del self.open[other]
                    pending += self._after.get(other, ())


def _item(op: ir.OpView, effects: MemoryEffects, commands: Commands) -> ScheduledOp:
    found = tuple(effects.effects_of(op))
    return ScheduledOp(op, found, commands.command_of(op), commands.queue_of(op), op.location)
