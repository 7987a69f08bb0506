"""What a device's stage sees of a call, and what it may make of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mlir import ir

from forebay.dialects.accel import CallOp


@dataclass(frozen=True)
class Site:
    """A call of one of the device's intrinsics on tensors, alone in a function of its own.

    `free` holds, per pool with a capacity, the bytes that no buffer of the rest of the program
    takes while the call runs; the call's own operands count as taken.
    """

    call: CallOp
    device: str
    free: Mapping[str, int]


Stage = Callable[[Site], Sequence[ir.Value] | None]
"""Lowers one call of its device.

It builds operations in front of `site.call`, where the insertion point is: tiles, further calls,
any structured IR (linalg, scf, tensor). It returns the tensors that take the place of the call's
results, or None to leave the call as it is. The buffers that come of it must fit into `site.free`;
the final plan is checked for that. Raises `RefusedError` when it cannot.
"""
