"""The modelled cycles of a device command, from its constants, without running anything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from forebay.dialects.accel import CallOp, IntrinsicOp, LaunchOp, MoveOp, StartOp
from forebay.ir.liveness.index_values import IndexValues
from forebay.ir.machine.devices import intrinsic_of
from forebay.ir.machine.pools import bytes_of
from forebay.ir.machine.transfers import transfer_of


class ModelledCycles:
    """The modelled cycles of the ops of a module; those of equal calls are computed once."""

    def __init__(self) -> None:
        self._of_calls: dict[tuple[str, tuple[int, ...]], int | None] = {}

    def of(self, op: ir.OpView) -> int | None:
        """Return the cycles of one execution of a call or transfer; None where no model says them.

        A call takes what its intrinsic's region of cycles computes from the scalars. A transfer
        takes its latency, and one cycle per `bandwidth` bytes.
        """
        if isinstance(op, (CallOp, LaunchOp)):
            return self._of_call(op)
        if isinstance(op, (MoveOp, StartOp)):
            return _of_transfer(op)
        return None

    def _of_call(self, op: CallOp | LaunchOp) -> int | None:
        intrinsic = intrinsic_of(op)
        config: Any = {} if op.config is None else op.config
        names = [ir.StringAttr(name).value for name in intrinsic.scalars or ()]
        key = op.callee.value, tuple(config[name].value for name in names)
        if key not in self._of_calls:
            self._of_calls[key] = _of_scalars(intrinsic, key[1])
        return self._of_calls[key]


def _of_scalars(intrinsic: IntrinsicOp, scalars: Sequence[int]) -> int | None:
    if not len(intrinsic.cycles.blocks):
        return None
    body = intrinsic.cycles.blocks[0]
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
