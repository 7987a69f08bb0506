"""The schedule of an `accel.reduce`: merged dimensions, and the blocks that cost least."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mlir import ir
from mlir.dialects import arith

from forebay.cpus.blocks import WeightedNest, cheapest_blocks
from forebay.cpus.cpu import Cpu
from forebay.dialects.accel import ReduceOp
from forebay.ir.rows.layout import rows_of
from forebay.ir.structured.loop_nest import loop_nest_of
from forebay.ir.structured.reduce_box import box_of, mapped_operands_of
from forebay.lowering.blocks.nest import takes_blocks
from forebay.lowering.schedule.merge import merge_dimensions
from forebay.regions import LoopNest


def schedule(op: ReduceOp, cpu: Cpu) -> None:
    """Merge dimensions of an op on buffers and give it blocks.

    Ops that are no sums of products, that count points, or whose reduction is cut stay as they are.
    Dimensions that select the rows of an operand, which lie anywhere, take no blocks.
    """
    offsets = _multiplied(op)
    if offsets is None or op.blocks is not None:
        return
    op = merge_dimensions(op)
    if not takes_blocks(op):
        return
    nest = loop_nest_of(op)
    assert nest is not None, "an accel.reduce is a loop nest"
    sizes = box_of(op).sizes
    parallel, reduction = sizes[: len(op.parallel)], sizes[len(op.parallel) :]
    own = replace(nest, parallel=parallel, reduction=reduction)
    weighted = WeightedNest(own, own.inputs[: len(op.inputs)], offsets, _dims_of_rows(op, nest))
    op.blocks = ir.DenseI64ArrayAttr.get(list(cheapest_blocks(weighted, cpu)))


def _dims_of_rows(op: ReduceOp, nest: LoopNest) -> frozenset[int]:
    """Return the dimensions that select a row of an operand whose rows lie anywhere."""
    found: set[int] = set()
    accesses = (*nest.inputs, *nest.outputs)
    for value, access in zip(mapped_operands_of(op), accesses, strict=True):
        rows = rows_of(value.type)
        for expression in access.index[: 0 if rows is None else rows.dims]:
            found |= expression.dimensions
    return frozenset(found)


def _multiplied(op: ReduceOp) -> tuple[int, ...] | None:
    """Return per input how many instructions its elements need before they are multiplied.

    None for an op whose body does more, or something else, than add a product to one sum.
    """
    body, finish = op.body.blocks[0], op.finish.blocks[0]
    arguments, counted = list(body.arguments), list(finish.arguments)
    if len(arguments) != 1 + len(op.inputs) or any(True for _ in counted[1].uses):
        return None
    *ops, yielded = list(body.operations)
    total = yielded.operation.operands[0].owner
    if not ops or not isinstance(ops[-1], arith.AddIOp) or total != ops[-1].operation:
        return None
    if not any(isinstance(own, arith.MulIOp) for own in ops):
        return None
    offsets = [0] * len(op.inputs)
    for own in ops[:-1]:
        if isinstance(own, arith.AddIOp):
            origin = _origin(own.lhs, arguments[1:])
            if origin is None:
                return None
            offsets[origin] += 1
        elif not isinstance(own, (arith.ExtSIOp, arith.ExtUIOp, arith.MulIOp, arith.ConstantOp)):
            return None
    return tuple(offsets)


def _origin(value: ir.Value, arguments: Sequence[ir.Value]) -> int | None:
    """Return the number of the argument that a value is made of, or None."""
    while value not in arguments:
        if isinstance(value.owner, ir.Block) or len(value.owner.operands) != 1:
            return None
        value = value.owner.operands[0]
    return arguments.index(value)
