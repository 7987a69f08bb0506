"""Lanes of pooling: neighbouring channels of one operand in a vector."""

from __future__ import annotations

from mlir import ir

from forebay.cpus.cpu import Cpu
from forebay.dialects.accel import ReduceOp
from forebay.ir.structured.reduce_box import box_of
from forebay.lowering.blocks.channel_lanes import (
    FEW,
    computes_extremes,
    computes_sums,
    dim_of_channels,
)


def schedule_channels(op: ReduceOp, cpu: Cpu) -> None:
    """Give an op on one operand, such as pooling, the longest vectors that its channels fill.

    Ops that compute neither extremes nor sums, and those whose results are no neighbours, stay as
    they are.
    """
    if op.blocks is not None or not (cpu.extremes or cpu.lanes):
        return
    dim, sizes = dim_of_channels(op), box_of(op).sizes
    if dim is None:
        return
    lanes = _lanes_of(op, cpu, sizes[dim])
    if 1 < lanes <= sizes[dim]:
        blocks = [lanes if d == dim else 1 for d in range(len(sizes))]
        op.blocks = op.lanes = ir.DenseI64ArrayAttr.get(blocks)


def _lanes_of(op: ReduceOp, cpu: Cpu, channels: int) -> int:
    """Return the length of the vectors of an op, or 1.

    Of vectors for more than `FEW` extremes the first elements may be used alone.
    """
    if computes_extremes(op):
        fitting = (n for n in cpu.extremes if channels >= n or channels > FEW < n)
        return min(next(fitting, 1), channels)
    if cpu.lanes is not None and computes_sums(op):
        return cpu.lanes.elements
    return 1
