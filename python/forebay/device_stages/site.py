"""What a device's stage sees of a call, and what it may make of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import func

from forebay.dialects.accel import CallOp
from forebay.dialects.memref_pool import SpaceAttr
from forebay.ir.memory.demands import CANDIDATES


@dataclass(frozen=True)
class CallSite:
    """A call of one of the device's intrinsics on tensors, alone in a function of its own.

    `free` holds, per pool with a capacity, the bytes that no buffer of the rest of the program
    takes while the call runs; the call's own operands count as taken. `places` has the pool of each
    operand in the plan that says so, None for the caller's memory; it is empty for a call whose
    result nobody needs.
    """

    call: CallOp
    device: str
    free: Mapping[str, int]
    places: tuple[str | None, ...]

    def keep_in_place(self) -> None:
        """Keep every operand in its pool in the final plan, too."""
        function = self.call.operation.parent
        assert function is not None
        assert isinstance(function.opview, func.FuncOp)
        function.opview.arg_attrs = [
            ir.DictAttr.get({} if pool is None else {CANDIDATES: SpaceAttr.get([pool])})
            for pool in self.places
        ]


Stage = Callable[[CallSite], Sequence[ir.Value] | None]
"""Lowers one call of its device.

It builds operations in front of `site.call`, where the insertion point is: tiles, further calls,
any structured IR (linalg, scf, tensor). It returns the tensors that take the place of the call's
results, or None to leave the call as it is. The buffers that come of it must fit into `site.free`;
the final plan is checked for that. Raises `RefusedError` when it cannot.
"""

Reserve = Callable[[CallOp], Mapping[str, int]]
"""The bytes per pool that a call's stage cannot do without, beside the call's operands.

They are free when the stage is told what is. Raises `RefusedError` when there can be no such plan.
"""
