"""Slices of images and of weights, as tensors."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import tensor

from forebay.api.dialects import memref_pool
from forebay.api.operators import element_type, shape_of
from forebay.api.regions import Box, Span
from forebay.targets.fetch_conv.layout import BLOCK


def block_box(blocks: Span, tile: Box) -> Box:
    """Return the box of a range of blocks and a tile of an image `[blocks][height][width][16]`."""
    return Box((blocks, *tile.spans, Span(0, BLOCK)))


def type_in(image: ir.Value, box: Box) -> ir.RankedTensorType:
    """Return the type of a box of an image as a separate tensor."""
    return ir.RankedTensorType.get(box.sizes, element_type(image))


def is_contiguous_box(image: ir.Value, box: Box) -> bool:
    """Return whether a box of an image is contiguous in it."""
    inner_is_whole = True
    for size, whole in reversed(list(zip(box.sizes, shape_of(image), strict=True))):
        if not inner_is_whole and size != 1:
            return False
        inner_is_whole = inner_is_whole and size == whole
    return True


def _is_all_of(image: ir.Value, box: Box) -> bool:
    return box.sizes == tuple(shape_of(image))


def empty_box(type_: ir.RankedTensorType) -> ir.Value:
    """Build a tensor without content."""
    return tensor.EmptyOp(list(type_.shape), type_.element_type).result


def first(value: ir.Value, span: Span) -> ir.Value:
    """Return a range of the first dimension."""
    shape = shape_of(value)
    if span.size == shape[0]:
        return value
    rest = len(shape) - 1
    sizes = [span.size, *shape[1:]]
    type_ = ir.RankedTensorType.get(sizes, element_type(value))
    offsets, strides = [span.start, *[0] * rest], [1] * (rest + 1)
    return tensor.ExtractSliceOp(type_, value, [], [], [], offsets, sizes, strides).result


def cut(image: ir.Value, box: Box) -> ir.Value:
    """Return a box of an image."""
    if _is_all_of(image, box):
        return image
    return tensor.ExtractSliceOp(
        type_in(image, box), image, [], [], [], box.offsets, box.sizes, [1] * 4
    ).result


def put(value: ir.Value, image: ir.Value, box: Box) -> ir.Value:
    """Return the image with the elements of the box replaced."""
    if _is_all_of(image, box):
        return value
    return tensor.InsertSliceOp(value, image, [], [], [], box.offsets, box.sizes, [1] * 4).result


def copied(value: ir.Value, image: ir.Value, box: Box) -> ir.Value:
    """Return what `put` does, for a value in another memory: an explicit copy."""
    if _is_all_of(image, box):
        return memref_pool.CopyOp(image.type, value, image).results[0]
    return put(value, image, box)


def moved(value: ir.Value) -> ir.Value:
    """Copy a value to storage of its own, in a pool that its users can access."""
    target = empty_box(ir.RankedTensorType(value.type))
    return memref_pool.CopyOp(target.type, value, target).results[0]
