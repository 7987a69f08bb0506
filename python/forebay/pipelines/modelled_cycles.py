"""The modelled cycles of a device command, from its constants, without running anything."""

from __future__ import annotations

from typing import Any

from mlir import ir

from forebay.dialects.accel import CallOp, LaunchOp, MoveOp, StartOp
from forebay.ir.liveness.index_values import IndexValues
from forebay.ir.machine.devices import intrinsic_of
from forebay.ir.machine.pools import bytes_of
from forebay.ir.machine.transfers import transfer_of


def modelled_cycles(op: ir.OpView) -> int | None:
    """Return the cycles of one execution of a call or transfer; None where no model says them.

    A call takes what its intrinsic's region of cycles computes from the scalars. A transfer takes
    its latency, and one cycle per `bandwidth` bytes.
    """
    if isinstance(op, (CallOp, LaunchOp)):
        return _of_call(op)
    if isinstance(op, (MoveOp, StartOp)):
        return _of_transfer(op)
    return None


def _of_call(op: CallOp | LaunchOp) -> int | None:
    intrinsic = intrinsic_of(op)
    if not len(intrinsic.cycles.blocks):
        return None
    body = intrinsic.cycles.blocks[0]
    config: Any = {} if op.config is None else op.config
    names = [ir.StringAttr(name).value for name in intrinsic.scalars or ()]
    scalars = [config[name].value for name in names]
    arguments: list[ir.Value] = list(body.arguments)
    numbers = dict(zip(arguments, scalars, strict=True))
    result = body.operations[len(body.operations) - 1].operands[0]
    found = IndexValues.of_numbers(numbers).of(result)
    return None if found is None else int(found[0])


def _of_transfer(op: MoveOp | StartOp) -> int | None:
    transfer = transfer_of(op)
    if transfer.latency is None and transfer.bandwidth is None:
        return None
    cycles = 0 if transfer.latency is None else transfer.latency.value
    if transfer.bandwidth is not None:
        cycles += -(-bytes_of(ir.MemRefType(op.source.type)) // transfer.bandwidth.value)
    return cycles
