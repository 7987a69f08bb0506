"""What a kernel needs so that its windows are inside of its source: elements around it."""

from __future__ import annotations

import math
from collections.abc import Iterator

from mlir import ir
from msgspec import Struct

from forebay.dialects.accel import ReduceOp
from forebay.ir.memory.linear import Linear, linear_of_map
from forebay.ir.rows.layout import is_rows
from forebay.ir.structured.reduce_box import mapped_operands_of
from forebay.lowering.blocks.product import ProductFactor, product_of
from forebay.lowering.padding.widened import Widening

SOURCE = 0
"""The operand of a product that may be padded."""


class SourcePadding(Struct, frozen=True):
    """Elements before and after those of a source, along each axis, and their value."""

    shape: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    value: int

    @property
    def padded(self) -> tuple[int, ...]:
        """The shape of the source with its padding."""
        return tuple(map(sum, zip(self.before, self.shape, self.after, strict=True)))

    @property
    def elements(self) -> int:
        """The number of elements of the source with its padding."""
        return math.prod(self.padded)

    @property
    def runs(self) -> int:
        """The number of runs of memory in which the source is copied."""
        ends = list(zip(self.before, self.after, strict=True))
        last = max((axis for axis, end in enumerate(ends) if any(end)), default=0)
        return math.prod(self.shape[:last])

    def within(self, axis: int) -> SourcePadding:
        """Return the elements around one index of an axis: those along the axes after it."""
        behind = axis + 1
        return SourcePadding(
            self.shape[behind:], self.before[behind:], self.after[behind:], self.value
        )

    def type_of(self, element: ir.Type, space: ir.Attribute | None) -> ir.MemRefType:
        """Return the type of the padded source in a memory space."""
        return ir.MemRefType.get(list(self.padded), element, memory_space=space)


def source_padding_of(op: ReduceOp, widening: Widening | None = None) -> SourcePadding | None:
    """Return the padding with which an op on buffers computes the same, or None.

    With a widening it is that for the wider windows.

    The op must be a sum of products over all of its domain, in which elements outside of the source
    have no part. An element of the padding is 0 after its zero point is added, so it adds nothing;
    for floats `zeros_add_nothing` says whether that is so.
    None if no window reaches over a border, or if an index is no linear form.
    """
    factors = product_of(op)
    if factors is None or op.sizes is not None or any(map(_is_row, mapped_operands_of(op))):
        return None
    value = _neutral(factors[SOURCE], op.inputs[SOURCE])
    forms = list(map(linear_of_map, _maps(op)))
    if value is None or any(form is None for index in forms for form in index):
        return None
    extents = (*op.parallel, *(op.reduction if widening is None else widening.reduction))
    shapes = [tuple(ir.MemRefType(operand.type).shape) for operand in op.inputs]
    if widening is not None:
        shapes[SOURCE + 1] = widening.shape
    source, *others = (
        list(_outside(index, shape, extents)) for index, shape in zip(forms, shapes, strict=True)
    )
    if not any(map(sum, source)) or any(sum(ends) for other in others for ends in other):
        return None
    before, after = zip(*source, strict=True)
    return SourcePadding(shapes[SOURCE], before, after, value)


def _is_row(value: ir.Value) -> bool:
    return is_rows(value.type)


def _maps(op: ReduceOp) -> Iterator[ir.AffineMap]:
    """Yield the maps of the elements that are multiplied."""
    for number in range(len(op.inputs)):
        yield ir.AffineMapAttr(op.maps[number]).value


def _outside(
    forms: list[Linear[int] | None], shape: tuple[int, ...], extents: tuple[int, ...]
) -> Iterator[tuple[int, int]]:
    """Yield per axis by how many elements the indices begin before it and end after it."""
    for form, size in zip(forms, shape, strict=True):
        assert form is not None, "the indices are linear"
        low, high = form.extremes(lambda dim: (0, extents[dim] - 1))
        yield max(0, -low), max(0, high - (size - 1))


def _neutral(factor: ProductFactor, source: ir.Value) -> int | None:
    """Return the element that is 0 with its offset, or None if its type has no such element."""
    element = ir.MemRefType(source.type).element_type
    if isinstance(element, ir.FloatType):
        return 0
    width = ir.IntegerType(element).width
    if factor.offset is None:
        return None
    limits = (-(2 ** (width - 1)), 2 ** (width - 1)) if factor.is_signed else (0, 2**width)
    return -factor.offset if limits[0] <= -factor.offset < limits[1] else None
