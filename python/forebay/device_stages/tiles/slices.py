"""Slices of tensors at offsets that are numbers or values, and copies to storage of their own."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import tensor

from forebay.dialects import memref_pool


def empty_tensor(sizes: Sequence[int], element_type: ir.Type) -> ir.Value:
    """Build a tensor without content."""
    return tensor.EmptyOp(list(sizes), element_type).result


def slice_at(value: ir.Value, offsets: Sequence[int | ir.Value], sizes: Sequence[int]) -> ir.Value:
    """Return a box of a tensor; the tensor itself if the box is all of it."""
    if is_all_of(value, sizes):
        return value
    type_ = ir.RankedTensorType.get(list(sizes), ir.RankedTensorType(value.type).element_type)
    known, dynamic = _split(offsets)
    return tensor.ExtractSliceOp(
        type_, value, dynamic, [], [], known, list(sizes), [1] * len(sizes)
    ).result


def inserted_at(part: ir.Value, whole: ir.Value, offsets: Sequence[int | ir.Value]) -> ir.Value:
    """Return a tensor with a box replaced; the part itself if the box is all of the tensor."""
    sizes = list(ir.RankedTensorType(part.type).shape)
    if is_all_of(whole, sizes):
        return part
    known, dynamic = _split(offsets)
    return tensor.InsertSliceOp(part, whole, dynamic, [], [], known, sizes, [1] * len(sizes)).result


def copied_to(part: ir.Value, whole: ir.Value, offsets: Sequence[int | ir.Value]) -> ir.Value:
    """Return a tensor with a box replaced by a copy of a tensor in another memory."""
    if is_all_of(whole, list(ir.RankedTensorType(part.type).shape)):
        return memref_pool.CopyOp(whole.type, part, whole).results[0]
    return inserted_at(part, whole, offsets)


def own_copy(value: ir.Value) -> ir.Value:
    """Copy a tensor to storage of its own, in a pool that its users can access."""
    type_ = ir.RankedTensorType(value.type)
    target = empty_tensor(type_.shape, type_.element_type)
    return memref_pool.CopyOp(target.type, value, target).results[0]


def is_all_of(value: ir.Value, sizes: Sequence[int]) -> bool:
    """Return whether a box of these sizes is all of a tensor."""
    return list(ir.RankedTensorType(value.type).shape) == list(sizes)


def _split(offsets: Sequence[int | ir.Value]) -> tuple[list[int], list[ir.Value]]:
    """Return the static offsets, with a marker where the offset is a value, and the values."""
    marker = ir.ShapedType.get_dynamic_stride_or_offset()
    known = [offset if isinstance(offset, int) else marker for offset in offsets]
    return known, [offset for offset in offsets if not isinstance(offset, int)]
