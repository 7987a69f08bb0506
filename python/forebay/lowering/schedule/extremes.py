"""Lanes of minima and maxima: neighbouring channels of a pooling in one vector."""

from __future__ import annotations

from mlir import ir

from forebay.cpus.cpu import Cpu
from forebay.dialects.accel import ReduceOp
from forebay.ir.structured.reduce_box import box_of
from forebay.lowering.loops.extreme_lanes import FEW, computes_extremes, dim_of_channels


def schedule_extremes(op: ReduceOp, cpu: Cpu) -> None:
    """Give an op that computes extremes the longest vectors that its channels fill.

    Of vectors for more than `FEW` elements the first ones may be used alone. Other ops, and those
    whose results are no neighbours, stay as they are.
    """
    if not cpu.extremes or op.blocks is not None or not computes_extremes(op):
        return
    dim, sizes = dim_of_channels(op), box_of(op).sizes
    if dim is None:
        return
    size = sizes[dim]
    fitting = (length for length in cpu.extremes if size >= length or size > FEW < length)
    lanes = min(next(fitting, 1), size)
    if lanes > 1:
        blocks = [lanes if d == dim else 1 for d in range(len(sizes))]
        op.blocks = op.lanes = ir.DenseI64ArrayAttr.get(blocks)
