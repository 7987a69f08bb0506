"""Parts of images and of weights, as tensors."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir
from mlir.dialects import tensor

from forebay.dialects import memref_pool
from forebay.ir.fused import element_type, shape_of
from forebay.targets.fetch_conv.geometry import Extent


@dataclass(frozen=True)
class Box:
    """Blocks, rows and columns of an image `[blocks][height][width][16]`."""

    blocks: Extent
    rows: Extent
    columns: Extent

    @property
    def offsets(self) -> list[int]:
        """Of its first element, in the image."""
        return [self.blocks.start, self.rows.start, self.columns.start, 0]

    def sizes_in(self, image: ir.Value) -> list[int]:
        """Its shape."""
        return [self.blocks.size, self.rows.size, self.columns.size, shape_of(image)[3]]

    def type_in(self, image: ir.Value) -> ir.RankedTensorType:
        """Its type as a tensor of its own."""
        return ir.RankedTensorType.get(self.sizes_in(image), element_type(image))

    def is_run_of(self, image: ir.Value) -> bool:
        """Whether it is one run of bytes of the image."""
        inner_is_whole = True
        for size, whole in reversed(list(zip(self.sizes_in(image), shape_of(image), strict=True))):
            if not inner_is_whole and size != 1:
                return False
            inner_is_whole = inner_is_whole and size == whole
        return True

    def is_all_of(self, image: ir.Value) -> bool:
        """Whether nothing of the image is left out."""
        return self.sizes_in(image) == list(shape_of(image))


def empty(type_: ir.RankedTensorType) -> ir.Value:
    """A tensor without content."""
    return tensor.EmptyOp(list(type_.shape), type_.element_type).result


def first(value: ir.Value, extent: Extent) -> ir.Value:
    """A range of the first dimension."""
    shape = shape_of(value)
    if extent.size == shape[0]:
        return value
    rest = len(shape) - 1
    sizes = [extent.size, *shape[1:]]
    type_ = ir.RankedTensorType.get(sizes, element_type(value))
    offsets, strides = [extent.start, *[0] * rest], [1] * (rest + 1)
    return tensor.ExtractSliceOp(type_, value, [], [], [], offsets, sizes, strides).result


def cut(image: ir.Value, box: Box) -> ir.Value:
    """A box of an image."""
    if box.is_all_of(image):
        return image
    sizes = box.sizes_in(image)
    return tensor.ExtractSliceOp(
        box.type_in(image), image, [], [], [], box.offsets, sizes, [1] * 4
    ).result


def put(value: ir.Value, image: ir.Value, box: Box) -> ir.Value:
    """The image with the box's elements replaced."""
    if box.is_all_of(image):
        return value
    sizes = box.sizes_in(image)
    return tensor.InsertSliceOp(value, image, [], [], [], box.offsets, sizes, [1] * 4).result


def copied(value: ir.Value, image: ir.Value, box: Box) -> ir.Value:
    """As `put`, of a value that is in another memory."""
    if box.is_all_of(image):
        return memref_pool.CopyOp(image.type, value, image).results[0]
    return put(value, image, box)


def moved(value: ir.Value) -> ir.Value:
    """The same elements in storage of their own, wherever their users need them."""
    target = empty(ir.RankedTensorType(value.type))
    return memref_pool.CopyOp(target.type, value, target).results[0]
