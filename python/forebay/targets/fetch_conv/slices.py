"""Slices of images and of weights, as tensors."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir
from mlir.dialects import tensor

from forebay.api.dialects import memref_pool
from forebay.api.operators import element_type, shape_of
from forebay.targets.fetch_conv.geometry import Extent


@dataclass(frozen=True)
class Box:
    """A range of blocks, rows and columns of an image `[blocks][height][width][16]`."""

    blocks: Extent
    rows: Extent
    columns: Extent

    @property
    def offsets(self) -> list[int]:
        """The offsets of the first element in the image."""
        return [self.blocks.start, self.rows.start, self.columns.start, 0]

    def sizes_in(self, image: ir.Value) -> list[int]:
        """Return the shape of the box."""
        return [self.blocks.size, self.rows.size, self.columns.size, shape_of(image)[3]]

    def type_in(self, image: ir.Value) -> ir.RankedTensorType:
        """Return the type of the box as a separate tensor."""
        return ir.RankedTensorType.get(self.sizes_in(image), element_type(image))

    def is_run_of(self, image: ir.Value) -> bool:
        """Return whether the box is contiguous in the image."""
        inner_is_whole = True
        for size, whole in reversed(list(zip(self.sizes_in(image), shape_of(image), strict=True))):
            if not inner_is_whole and size != 1:
                return False
            inner_is_whole = inner_is_whole and size == whole
        return True

    def is_all_of(self, image: ir.Value) -> bool:
        """Return whether the box is the whole image."""
        return self.sizes_in(image) == list(shape_of(image))


def empty(type_: ir.RankedTensorType) -> ir.Value:
    """Build a tensor without content."""
    return tensor.EmptyOp(list(type_.shape), type_.element_type).result


def first(value: ir.Value, extent: Extent) -> ir.Value:
    """Return a range of the first dimension."""
    shape = shape_of(value)
    if extent.size == shape[0]:
        return value
    rest = len(shape) - 1
    sizes = [extent.size, *shape[1:]]
    type_ = ir.RankedTensorType.get(sizes, element_type(value))
    offsets, strides = [extent.start, *[0] * rest], [1] * (rest + 1)
    return tensor.ExtractSliceOp(type_, value, [], [], [], offsets, sizes, strides).result


def cut(image: ir.Value, box: Box) -> ir.Value:
    """Return a box of an image."""
    if box.is_all_of(image):
        return image
    sizes = box.sizes_in(image)
    return tensor.ExtractSliceOp(
        box.type_in(image), image, [], [], [], box.offsets, sizes, [1] * 4
    ).result


def put(value: ir.Value, image: ir.Value, box: Box) -> ir.Value:
    """Return the image with the elements of the box replaced."""
    if box.is_all_of(image):
        return value
    sizes = box.sizes_in(image)
    return tensor.InsertSliceOp(value, image, [], [], [], box.offsets, sizes, [1] * 4).result


def copied(value: ir.Value, image: ir.Value, box: Box) -> ir.Value:
    """Return what `put` does, for a value in another memory: an explicit copy."""
    if box.is_all_of(image):
        return memref_pool.CopyOp(image.type, value, image).results[0]
    return put(value, image, box)


def moved(value: ir.Value) -> ir.Value:
    """Copy a value to storage of its own, in a pool that its users can access."""
    target = empty(ir.RankedTensorType(value.type))
    return memref_pool.CopyOp(target.type, value, target).results[0]
