"""The operations that a token may come from, traced through loops and branches."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import scf

from forebay.dialects.accel import LaunchOp, QueueOp, StartOp, TokenType
from forebay.ir.machine.devices import intrinsic_of
from forebay.ir.machine.transfers import queue_of, transfer_of
from forebay.ir.refused import RefusedError

TokenSource = StartOp | LaunchOp


def is_token(type_: ir.Type) -> bool:
    """Return whether values of the type are tokens."""
    return isinstance(type_, TokenType)


def queue_of_token(token: ir.Value, user: ir.OpView) -> QueueOp:
    """Return the queue of the operation that gives the token.

    Raises `RefusedError` at `user` when it may be one of several queues, or is unknown.
    """
    origins = _origins(token, set())
    queues = {queue.sym_name.value: queue for queue in map(queue_of_start, origins or ())}
    if origins is None or len(queues) != 1:
        listed = ", ".join(f"@{name}" for name in queues) or "an unknown queue"
        raise RefusedError(
            user.location,
            f"a token must be of one queue, but this one may be of {listed}; wait for each queue's "
            "tokens on their own",
        )
    return next(iter(queues.values()))


def queue_of_start(op: TokenSource) -> QueueOp:
    """Return the queue that a started operation runs in; the op's verifier ensures it exists."""
    offered = transfer_of(op) if isinstance(op, StartOp) else intrinsic_of(op)
    queue = queue_of(offered)
    assert queue is not None
    return queue


def _origins(token: ir.Value, seen: set[ir.Value]) -> list[TokenSource] | None:
    """Return all ops that may have given the token, or None where one path is not understood."""
    if token in seen:
        return []
    seen.add(token)
    sources = _sources(token)
    if sources is None:
        return None
    found: list[TokenSource] = []
    for source in sources:
        if not isinstance(source, ir.Value):
            found.append(source)
            continue
        behind = _origins(source, seen)
        if behind is None:
            return None
        found += behind
    return found


def _sources(token: ir.Value) -> list[TokenSource | ir.Value] | None:
    owner = token.owner
    if isinstance(owner, ir.Block):
        loop = owner.owner.opview
        if not isinstance(loop, scf.ForOp):
            return None
        index = ir.BlockArgument(token).arg_number - 1
        return [loop.initArgs[index], _handed_on(loop.region, index)]
    op = owner.opview
    if isinstance(op, (StartOp, LaunchOp)):
        return [op]
    index = ir.OpResult(token).result_number
    if isinstance(op, scf.ForOp):
        return [op.initArgs[index], _handed_on(op.region, index)]
    if isinstance(op, scf.IfOp):
        return [_handed_on(region, index) for region in op.regions]
    return None


def _handed_on(region: ir.Region, index: int) -> ir.Value:
    block = region.blocks[0]
    return block.operations[len(block.operations) - 1].operands[index]
