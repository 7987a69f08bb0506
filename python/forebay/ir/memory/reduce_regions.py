"""The elements of its operands that an `accel.reduce` on a box of its domain accesses."""

from __future__ import annotations

from mlir import ir

from forebay.dialects.accel import ReduceOp
from forebay.ir.memory.linear import linear_of_value
from forebay.ir.memory.regions import IndexRange, Offset
from forebay.ir.structured.loop_nest import loop_nest_of
from forebay.ir.structured.reduce_box import ReduceBox, box_of
from forebay.regions import Box, OperandAccess, OperandRegion, input_regions, output_regions

OperandBox = tuple[IndexRange, ...]


def operand_boxes_of(op: ReduceOp) -> dict[int, OperandBox]:
    """Return a box around the accessed elements for each operand number that `maps` address.

    Returns nothing for an op on its whole domain. Where all starts are constants, the boxes are
    exact hulls; else they have the size of a window, which may reach out of the operand, and begin
    where the starts say.
    """
    if op.sizes is None:
        return {}
    box, nest = box_of(op), loop_nest_of(op)
    assert nest is not None
    at = Box.of(box.sizes) if box.dynamic else box.at(())
    found = [*input_regions(nest, at), *output_regions(nest, at)]
    output = len(op.inputs) + len(op.params) + len(op.starts)
    numbers = [*range(len(nest.inputs)), output]
    return {n: _box(region, box) for n, region in zip(numbers, found, strict=True)}


def _box(region: OperandRegion, box: ReduceBox) -> OperandBox:
    if not box.dynamic:
        return tuple(IndexRange.fixed(span.start, span.size) for span in region.box.spans)
    return tuple(
        IndexRange(Offset({}, span.start).plus(begin), span.size)
        for span, begin in zip(region.window.spans, _begins(region.access, box), strict=True)
    )


def _begins(access: OperandAccess, box: ReduceBox) -> list[Offset]:
    """Return what the starts of the box add to each index, which the op's verifier keeps linear."""
    begins: list[Offset] = []
    for index in access.index:
        total = Offset({}, 0)
        for dimension, factor in index.terms:
            start = box.starts[dimension]
            own = linear_of_value(start) if isinstance(start, ir.Value) else Offset({}, start)
            total = total.plus(own.times(factor))
        begins.append(total)
    return begins
