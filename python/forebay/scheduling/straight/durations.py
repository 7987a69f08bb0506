"""Modelled cycles of the items of a sequence.

A transfer takes its latency and a cycle per `bandwidth` bytes, a call what the `cycles` of its
intrinsic compute. If neither a transfer nor an intrinsic of the module has times, a transfer takes
a cycle per byte, and a call a cycle per byte of its operands: only the proportions matter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects.builtin import ModuleOp

from forebay.dialects import accel
from forebay.ir.machine.pools import bytes_of
from forebay.scheduling.straight.items import ScheduledOp


class Durations:
    """The cycles of items, by the times that a module declares."""

    def __init__(self, module: ModuleOp) -> None:
        ops = list(module.body.operations)
        self._module = module
        self._has_times = any(
            (isinstance(op, accel.TransferOp) and op.bandwidth is not None)
            or (isinstance(op, accel.IntrinsicOp) and len(op.cycles.blocks))
            for op in ops
        )
        self._functions: dict[str, Callable[..., list[Any]]] = {}
        self._known: dict[tuple[str, tuple[int, ...]], int] = {}

    def of(self, item: ScheduledOp) -> int:
        """Return the cycles of an item; the work of the host takes none."""
        if item.command is None:
            return 0
        if not self._has_times:
            return sum(_bytes(value) for value in item.op.operands)
        if isinstance(item.command, accel.TransferOp):
            return _of_transfer(item.command, _bytes(item.op.operands[0]))
        return self._of_call(item.op, item.command)

    def _of_call(self, op: ir.OpView, intrinsic: accel.IntrinsicOp) -> int:
        if not len(intrinsic.cycles.blocks):
            return 0
        assert isinstance(op, accel.CallOp)
        config: Any = {} if op.config is None else op.config
        names = [ir.StringAttr(name).value for name in intrinsic.scalars or ()]
        key = (op.callee.value, tuple(ir.IntegerAttr(config[name]).value for name in names))
        if key not in self._known:
            self._known[key] = self._evaluated(intrinsic, key[1])
        return self._known[key]

    def _evaluated(self, intrinsic: accel.IntrinsicOp, scalars: tuple[int, ...]) -> int:
        """Return the cycles of a call, 0 if the interpreter has no rule for one of their ops."""
        from forebay.reference import UnsupportedError  # noqa: PLC0415  (loads NumPy kernels)
        from forebay.reference.program import PreparedFunction, Program  # noqa: PLC0415

        name = intrinsic.sym_name.value
        try:
            if name not in self._functions:
                program = Program(self._module.operation)
                self._functions[name] = PreparedFunction(intrinsic.cycles, program).call
            values = [np.asarray(scalar, np.int32) for scalar in scalars]
            (cycles,) = self._functions[name](values)
        except UnsupportedError:
            return 0
        return max(0, int(cycles))


def _of_transfer(transfer: accel.TransferOp, size: int) -> int:
    latency = 0 if transfer.latency is None else transfer.latency.value
    bandwidth = None if transfer.bandwidth is None else transfer.bandwidth.value
    return latency + (-(-size // bandwidth) if bandwidth else 0)


def _bytes(value: ir.Value) -> int:
    return bytes_of(ir.MemRefType(value.type))
