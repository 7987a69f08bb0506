"""One step of an op: the op on the part of its domain of one step of its row operator."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith

from forebay.dialects.accel import ReduceOp
from forebay.dialects.memref_pool import AllocOp
from forebay.ir.cascade.row_graph import Split, waiting_of
from forebay.ir.interfaces import destinations_of
from forebay.ir.structured.op_box import run_on_box
from forebay.ir.structured.reduce_box import on_box


def run_step(op: ir.OpView, split: Split, step: ir.Value, accumulators: Sequence[ir.Value]) -> None:
    """Create one step of an op at the insertion point; `op` stays."""
    sizes = list(split.nest.domain.sizes)
    sizes[split.dimension] = split.block
    starts: list[int | ir.Value] = [0] * len(sizes)
    starts[split.dimension] = _times(step, split.block)
    if isinstance(op, ReduceOp):
        with op.location:
            on_box(op, starts, sizes, op.output, accumulators)
        return
    outputs = destinations_of(op) or (len(op.operands) - 1,)
    with op.location:
        run_on_box(op, starts, sizes, [op.operands[number] for number in sorted(outputs)])


def make_accumulators(op: ir.OpView, split: Split, space: ir.Attribute) -> list[ir.Value]:
    """Create the buffers in which the sums of an `accel.reduce` wait between its steps.

    The count of points becomes a constant where no point is skipped, and so needs no buffer.
    """
    if not isinstance(op, ReduceOp) or not split.cuts_reduction:
        return []
    if split.nest.points().points == split.nest.domain.elements:
        _fold_count(op, math.prod(split.nest.reduction))
    shape = list(split.nest.parallel)
    return [
        AllocOp(ir.MemRefType.get(shape, type_, memory_space=space), loc=op.location).memref
        for type_ in waiting_of(op, split.nest)
    ]


def _fold_count(op: ReduceOp, number: int) -> None:
    block = op.finish.blocks[0]
    *_, handed = op.init.blocks[0].operations
    count = block.arguments[len(handed.operands)]
    if any(True for _ in count.uses):
        with ir.InsertionPoint.at_block_begin(block), op.location:
            constant = arith.ConstantOp(count.type, number)
        count.replace_all_uses_with(constant.result)


def _times(step: ir.Value, block: int) -> ir.Value:
    if block == 1:
        return step
    factor = arith.ConstantOp(ir.IndexType.get(), block)
    return arith.MulIOp(step, factor.result).result
