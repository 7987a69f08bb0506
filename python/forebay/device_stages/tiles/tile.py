"""The arguments of the functions of a tiled operator: a tile, and the parts of its operands."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from mlir import ir
from mlir.dialects import tensor

from forebay.device_stages.tiles import slices
from forebay.device_stages.tiles.positions import TilePosition
from forebay.regions import Box, OperandRegion, Span


@dataclass(frozen=True, eq=False)
class OperandTile:
    """The part of an operand that a tile accesses, in a tensor that holds it.

    `tensor` is the whole operand for the functions `load` and `store`. For `compute` it is the
    tensor that holds the tile: the one that `load` returned, or the whole operand where it stays in
    its pool. `region` says what is accessed, padding kept apart. In a loop over tiles, its
    positions are those of the first iteration; sizes and padding are those of all iterations.
    """

    tensor: ir.Value
    region: OperandRegion
    positions: tuple[TilePosition, ...]
    """The start of the window in `tensor`; a negative number is in the padding."""

    @cached_property
    def window_offsets(self) -> tuple[int | ir.Value, ...]:
        """Return the start of the window in the tensor, padding included: it may be negative."""
        return tuple(position.value() for position in self.positions)

    @cached_property
    def offsets(self) -> tuple[int | ir.Value, ...]:
        """Return the start of the part of the window that is inside of the operand."""
        parts = zip(self.positions, self.region.padding, self.sizes, strict=True)
        return tuple(
            (position + padding.before).value() if size else 0 for position, padding, size in parts
        )

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of the part of the window that is inside of the operand, axis by axis."""
        pairs = zip(self.region.window.spans, self.region.access.shape, strict=True)
        return tuple(span.intersect(Span(0, size)).size for span, size in pairs)

    def block_offsets(self, block: Sequence[int]) -> tuple[int | ir.Value, ...]:
        """Return the start of the part, in blocks with a size per dimension."""
        pairs = zip(self.positions, self.region.padding, strict=True)
        inside = (position + padding.before for position, padding in pairs)
        return tuple((at // size).value() for at, size in zip(inside, block, strict=True))

    def block_sizes(self, block: Sequence[int]) -> tuple[int, ...]:
        """The number of blocks that the part has in each dimension, the last one perhaps partly."""
        return tuple(-(-extent // size) for extent, size in zip(self.sizes, block, strict=True))

    @property
    def element_type(self) -> ir.Type:
        """The type of the elements."""
        return ir.RankedTensorType(self.tensor.type).element_type

    def slice(self, axes: Collection[int] | None = None) -> ir.Value:
        """Return the part that is inside of the operand, as a slice of the tensor.

        With `axes`, the slice is the part along these only, and all of the tensor along the others.
        """
        sizes = list(ir.RankedTensorType(self.tensor.type).shape)
        offsets: list[int | ir.Value] = [0] * len(sizes)
        for axis in range(len(sizes)) if axes is None else axes:
            if sizes[axis] != self.sizes[axis]:
                sizes[axis], offsets[axis] = self.sizes[axis], self.offsets[axis]
        return slices.slice_at(self.tensor, offsets, sizes)

    def contiguous_range(self) -> ir.Value:
        """Return the elements from the first to the last one that is inside, in one dimension.

        The strides between them are those of the whole tensor. This is for a call that gets an
        address and strides.
        """
        type_ = ir.RankedTensorType(self.tensor.type)
        first, last, stride = TilePosition(0), 0, 1
        parts = list(zip(self.positions, self.region.padding, self.sizes, strict=True))
        for size, (position, padding, count) in zip(
            reversed(type_.shape), reversed(parts), strict=True
        ):
            first = first.plus((position + padding.before).scaled(stride))
            last += (count - 1) * stride
            stride *= size
        flat_type = ir.RankedTensorType.get([stride], type_.element_type)
        axes = ir.ArrayAttr.get([_axes(range(len(type_.shape)))])
        flat = tensor.CollapseShapeOp(flat_type, self.tensor, axes).result
        return slices.slice_at(flat, [first.value()], [last + 1])

    @property
    def is_dynamic(self) -> bool:
        """Return whether the offsets depend on loops."""
        return any(position.terms for position in self.positions)

    def replaced(self, part: ir.Value) -> ir.Value:
        """Return the tensor with this part replaced, where both have the same memory."""
        return slices.inserted_at(part, self.tensor, self.offsets)

    def replaced_by_copy(self, part: ir.Value) -> ir.Value:
        """Return the tensor with this part replaced by a copy of a tensor in another memory."""
        return slices.copied_to(part, self.tensor, self.offsets)


def _axes(numbers: range) -> ir.ArrayAttr:
    i64 = ir.IntegerType.get_signless(64)
    return ir.ArrayAttr.get([ir.IntegerAttr.get(i64, number) for number in numbers])


@dataclass(frozen=True, eq=False)
class Tile:
    """A tile of the domain of an operator.

    `box` has its sizes, and its position unless it is in a loop. `inputs` are the parts of the
    inputs that it reads. If sums are kept, `sums` is the tensor of the partial sums so far, of the
    sizes of the tile in the parallel dimensions; `is_first` and `is_last` say which part of the
    reduction this is. `result(n)` returns the tensor that output `n` is computed into, and
    `scratch(n)` a tensor for scratch number `n`; each is created where it is asked for.
    """

    box: Box
    inputs: tuple[OperandTile, ...]
    result: Callable[[int], ir.Value]
    scratch: Callable[[int], ir.Value]
    sums: ir.Value | None = None
    is_first: bool = True
    is_last: bool = True
