"""The layout of a tensor in the storage of a tensor that it is a part of."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from mlir import ir
from mlir.dialects import tensor

from forebay.ir.assign.strides import is_copied


class SliceLayout(IntEnum):
    """The layout of a part; a greater one is harder to pass as a pointer."""

    WHOLE = 0
    """Row-major without gaps, from the first byte of the storage."""
    CHUNK = 1
    """Row-major without gaps, from a byte inside the storage."""
    STRIDED = 2
    """With gaps."""


def slice_layout_of(value: ir.Value) -> SliceLayout:
    """Return the layout of a tensor if no copy is made on the way to it."""
    if isinstance(value.owner, ir.Block):
        return SliceLayout.WHOLE
    match value.owner.opview:
        case tensor.ExtractSliceOp() as op:
            return max(slice_layout_of(op.source), _of_slice(op))
        case tensor.CollapseShapeOp() as op if is_copied(op):
            return SliceLayout.WHOLE
        case tensor.CastOp() | tensor.CollapseShapeOp() | tensor.ExpandShapeOp() as op:
            return slice_layout_of(op.operands[0])
        case _:
            return SliceLayout.WHOLE


def _of_slice(op: tensor.ExtractSliceOp) -> SliceLayout:
    shape = list(ir.RankedTensorType(op.source.type).shape)
    sizes, strides = list(op.static_sizes), list(op.static_strides)
    if not is_contiguous_slice(shape, sizes, strides):
        return SliceLayout.STRIDED
    begins = all(offset == 0 for offset in op.static_offsets)
    return SliceLayout.WHOLE if begins else SliceLayout.CHUNK


def is_contiguous_slice(shape: Sequence[int], sizes: Sequence[int], strides: Sequence[int]) -> bool:
    """Return whether a slice of a row-major tensor has no gaps, for all dynamic sizes."""
    partial = False
    for extent, size, stride in reversed(list(zip(shape, sizes, strides, strict=True))):
        if size == 1:
            partial = partial or extent != 1
            continue
        if partial or stride != 1:
            return False
        partial = size != extent
    return True
