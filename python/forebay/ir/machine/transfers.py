"""Queries on transfers and queues: what a device can move, from which pool to which."""

from __future__ import annotations

from mlir import ir

from forebay.dialects.accel import (
    CallOp,
    IntrinsicOp,
    LaunchOp,
    MoveOp,
    QueueOp,
    StartOp,
    TransferOp,
)
from forebay.ir.module import ops_in_body, symbol_around
from forebay.ir.nested import ops_of

INSTRUCTIONS = (CallOp, LaunchOp, MoveOp, StartOp)
"""Ops that issue a command to a device: the only ops that access a pool inside it."""


def transfers_in(module: ir.Operation | ir.OpView) -> list[TransferOp]:
    """Return the transfers of a module, in their order."""
    return ops_in_body(module, TransferOp)


def transfer_of(op: MoveOp | StartOp) -> TransferOp:
    """Return the transfer that an op uses; the op's verifier ensures that it exists."""
    found = symbol_around(op, op.transfer.value)
    assert isinstance(found, TransferOp)
    return found


def used_transfers(module: ir.Operation | ir.OpView) -> list[TransferOp]:
    """Return the transfers that the program uses, in the module's order."""
    used = {op.transfer.value for op in ops_of(module, MoveOp, StartOp)}
    return [op for op in transfers_in(module) if op.sym_name.value in used]


def queue_of(op: TransferOp | IntrinsicOp) -> QueueOp | None:
    """Return the queue of a transfer or intrinsic, or None; the verifier ensures that it exists."""
    if op.queue is None:
        return None
    found = symbol_around(op, op.queue.value)
    assert isinstance(found, QueueOp)
    return found


def pools_of(names: ir.ArrayAttr) -> tuple[str, ...]:
    """Return the names of the pools on one side of a transfer."""
    return tuple(ir.FlatSymbolRefAttr(name).value for name in names)


def limits_of(transfer: TransferOp) -> dict[str, int]:
    """Return the largest numbers that the C function takes, by the names of its parameters."""
    limits = ir.DictAttr(transfer.limits) if transfer.limits is not None else ()
    return {named.name: ir.IntegerAttr(named.attr).value for named in limits}


def describe_limits(transfer: TransferOp) -> str:
    """Return the limits of a call as the end of a phrase; nothing without limits."""
    limits = limits_of(transfer)
    return "".join(f", {name} up to {most}" for name, most in sorted(limits.items()))


def moves_in(module: ir.Operation | ir.OpView) -> frozenset[tuple[str, str]]:
    """Return the pairs (source pool, target pool) that some transfer moves between."""
    return frozenset(
        (source, target)
        for transfer in transfers_in(module)
        for source in pools_of(transfer.sources)
        for target in pools_of(transfer.targets)
    )
