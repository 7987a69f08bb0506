"""The interface of a device's stage: the call that it sees, and what it may return."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from mlir import ir
from mlir.dialects import func

from forebay.dialects.accel import CallOp
from forebay.dialects.memref_pool import SpaceAttr
from forebay.ir.memory.access_constraints import CANDIDATES
from forebay.support.records import record


@record
class CallSite:
    """A call of one of the device's intrinsics on tensors, alone in a function of its own.

    `free` holds, per pool with a capacity, the bytes that no buffer of the rest of the program
    takes while the call runs; the call's own operands count as taken. `operand_pools` holds the
    pool of each operand in the trial plan, None for memory of the caller. It is empty for a call
    whose result is unused.
    """

    call: CallOp
    device: str
    free: Mapping[str, int]
    operand_pools: tuple[str | None, ...]

    def pool_of(self, operand: ir.Value) -> str | None:
        """Return the pool of an operand in the trial plan; None for memory of the caller."""
        return next(
            pool
            for pool, other in zip(self.operand_pools, self.call.operands, strict=True)
            if other == operand
        )

    def keep_in_place(self) -> None:
        """Constrain every operand to the pool that it has in the trial plan."""
        function = self.call.operation.parent
        assert function is not None
        assert isinstance(function.opview, func.FuncOp)
        function.opview.arg_attrs = [
            ir.DictAttr.get({} if pool is None else {CANDIDATES: SpaceAttr.get([pool])})
            for pool in self.operand_pools
        ]


Stage = Callable[[CallSite], Sequence[ir.Value] | None]
"""A function that lowers one call of its device.

It builds operations in front of `site.call`, where the insertion point is: tiles, further calls,
any structured IR (linalg, scf, tensor). It returns the tensors that replace the call's results,
or None to leave the call unchanged. The buffers of these operations must fit into `site.free`; the
final plan is checked for that. Raises `RefusedError` when it cannot lower the call.
"""

Reserve = Callable[[CallOp], Mapping[str, int]]
"""A function that returns the bytes per pool that a call's stage needs beside the call's operands.

The trial plan keeps these bytes free, so `site.free` contains them. Raises `RefusedError` when no
plan can keep them free.
"""
