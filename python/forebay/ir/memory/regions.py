"""Regions of buffers that memrefs show, and whether two regions may overlap.

A region is a box of elements in the dimensions of the value that it is a view of::

    %v = memref.subview %x[%i, 0] [8, 16] [1, 1]      of %x: rows [%i, %i + 8), columns [0, 16)

The beginning of a box is linear in loop counters and other values. A region without a linear form
may be anywhere in its base.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from mlir import ir
from mlir.dialects import memref, scf
from msgspec import Struct

from forebay.dialects.memref_pool import AllocOp
from forebay.ir.interfaces import FoldResult, Slice, slice_of, source_of_view
from forebay.ir.memory.linear import Linear, linear_of_value
from forebay.ir.memory.loop_counters import counter_range_of, loop_counted_by
from forebay.ir.nested import defining_op
from forebay.ir.views.queries import view_kind_of
from forebay.ir.views.rules import ViewKind

Offset = Linear[ir.Value]
"""A number of elements that depends on index values."""


class IndexRange(Struct, frozen=True):
    """The elements `[begin, begin + extent)` of one dimension."""

    begin: Offset
    extent: int

    @staticmethod
    def fixed(begin: int, extent: int) -> IndexRange:
        """Return a range that is the same in every run."""
        return IndexRange(Offset({}, begin), extent)


class AccessRegion(Struct, frozen=True):
    """Elements of `base`: the value that others are views of, or the name of a global.

    `spans` is None where the region may be all of the memory of the base. If `is_exact`, the region
    is every element of the box; else it is a part of the box. If `is_aligned`, the memref has the
    dimensions of the base.
    """

    base: ir.Value | str
    spans: tuple[IndexRange, ...] | None
    is_exact: bool = False
    is_aligned: bool = False

    @property
    def box(self) -> tuple[tuple[int, int], ...] | None:
        """Return begin and extent per dimension, or None where they vary between runs."""
        if self.spans is None or any(span.begin.terms for span in self.spans):
            return None
        return tuple((span.begin.constant, span.extent) for span in self.spans)

    @property
    def identity(self) -> Hashable | None:
        """Return a key that is equal for memrefs with the same elements in the same order.

        This holds within one run of a block. The key is None where the elements are not known
        exactly.
        """
        if self.spans is None or not (self.is_exact and self.is_aligned):
            return None
        spans = tuple(
            (frozenset(span.begin.terms.items()), span.begin.constant, span.extent)
            for span in self.spans
        )
        return (self.base, spans)

    def part(self, box: tuple[IndexRange, ...] | None) -> AccessRegion:
        """Return the sub-box `box` of the region, or a region that contains it.

        `box` is in the dimensions of the memref that shows the region.
        """
        if self.spans is None or not self.is_aligned or box is None:
            return AccessRegion(self.base, self.spans)
        spans = (
            IndexRange(whole.begin.plus(inner.begin), inner.extent)
            for whole, inner in zip(self.spans, box, strict=True)
        )
        return AccessRegion(self.base, tuple(spans))

    def may_overlap(self, other: AccessRegion) -> bool:
        """Return whether regions of one base may share an element, in one run of their block."""
        return not any(
            _is_apart(one.begin.minus(two.begin), one.extent, two.extent)
            for one, two in self._dimensions_with(other)
        )

    def may_overlap_later(self, other: AccessRegion, loop: scf.ForOp) -> bool:
        """Return whether they may share an element in two different iterations of the loop."""
        counter = counter_range_of(loop)
        step = None if counter is None else counter.step
        if step is None or not (_is_one_buffer(self.base, loop) and self.base == other.base):
            return True
        return not any(
            _is_apart_later(one, two, loop.induction_variable, step, loop)
            for one, two in self._dimensions_with(other)
        )

    def covers(self, other: AccessRegion) -> bool:
        """Return whether every element of the other region is in this one."""
        if not self.is_exact or self.base != other.base or self.spans is None:
            return False
        if other.spans is None or len(self.spans) != len(other.spans):
            return False
        return all(
            not ahead.terms and 0 <= ahead.constant <= one.extent - two.extent
            for one, two in self._dimensions_with(other)
            for ahead in [two.begin.minus(one.begin)]
        )

    def _dimensions_with(self, other: AccessRegion) -> list[tuple[IndexRange, IndexRange]]:
        if self.base != other.base or self.spans is None or other.spans is None:
            return []
        return list(zip(self.spans, other.spans, strict=True))


def extent_over_loops(region: AccessRegion) -> tuple[IndexRange, ...] | None:
    """Return the box around the region in all runs, or None where it may be all of the base."""
    if region.spans is None or isinstance(region.base, str):
        return region.spans if region.box is not None else None
    shape = ir.MemRefType(region.base.type).shape
    return tuple(_widened(span, size) for span, size in zip(region.spans, shape, strict=True))


def access_region_of(value: ir.Value) -> AccessRegion:
    """Return the region that a memref shows."""
    op: Any = defining_op(value)
    source = source_of_view(value)
    if source is not None:
        return _of_view(op, access_region_of(source))
    base = f"@{op.name.value}" if isinstance(op, memref.GetGlobalOp) else value
    type_ = ir.MemRefType(value.type)
    if not type_.has_static_shape:
        return AccessRegion(base, None)
    spans = tuple(IndexRange(Offset({}, 0), size) for size in type_.shape)
    return AccessRegion(base, spans, is_exact=True, is_aligned=True)


def _of_view(op: ir.OpView, whole: AccessRegion) -> AccessRegion:
    kind = view_kind_of(op)
    part = slice_of(op)
    if kind is ViewKind.SAME:
        return whole
    if kind in (ViewKind.RESHAPED, ViewKind.PERMUTED):
        return AccessRegion(whole.base, whole.spans, whole.is_exact)
    if kind is ViewKind.PART and part is not None:
        return _part(whole, part, ir.MemRefType(op.results[0].type).rank)
    return AccessRegion(whole.base, None)


def _part(whole: AccessRegion, part: Slice, rank: int) -> AccessRegion:
    if whole.spans is None or not whole.is_aligned:
        return AccessRegion(whole.base, whole.spans)
    sizes = [size for size in part.sizes if isinstance(size, int)]
    strides = [stride for stride in part.strides if isinstance(stride, int) and stride > 0]
    if len(sizes) < len(part.sizes) or len(strides) < len(part.strides):
        return AccessRegion(whole.base, None)
    spans = tuple(
        IndexRange(span.begin.plus(_offset(offset)), (size - 1) * stride + 1)
        for span, offset, size, stride in zip(
            whole.spans, part.offsets, sizes, strides, strict=True
        )
    )
    is_dense = all(stride == 1 for stride in strides)
    keeps_rank = len(sizes) == rank
    return AccessRegion(whole.base, spans, whole.is_exact and is_dense, is_dense and keeps_rank)


def _offset(number: FoldResult) -> Offset:
    return Offset({}, number) if isinstance(number, int) else linear_of_value(number)


def _widened(span: IndexRange, size: int) -> IndexRange:
    extremes = _extremes(span.begin)
    if extremes is None:
        return IndexRange.fixed(0, size)
    low, high = extremes
    return IndexRange.fixed(low, high - low + span.extent)


def _is_one_buffer(base: ir.Value | str, loop: scf.ForOp) -> bool:
    """Return whether a base is the same memory in every iteration."""
    if isinstance(base, str) or not is_inside(base, loop):
        return True
    return not isinstance(base.owner, ir.Block) and isinstance(base.owner.opview, AllocOp)


def _is_apart(ahead: Offset, extent: int, other: int) -> bool:
    """Return whether `[ahead, ahead + extent)` and `[0, other)` are disjoint in all runs."""
    extremes = _extremes(ahead)
    return extremes is not None and (extremes[0] >= other or extremes[1] <= -extent)


def _extremes(offset: Offset) -> tuple[int, int] | None:
    """Return the least and the greatest value in all runs, or None where it has no bounds."""
    bounds = {value: _bounds(value) for value in offset.terms}
    known = {value: pair for value, pair in bounds.items() if pair is not None}
    return offset.extremes(known.__getitem__) if len(known) == len(bounds) else None


def _bounds(value: ir.Value) -> tuple[int, int] | None:
    """Return the smallest and largest value of a loop counter of constant bounds, else None."""
    loop = loop_counted_by(value)
    counter = None if loop is None else counter_range_of(loop)
    return None if counter is None else counter.bounds


def _is_apart_later(
    one: IndexRange, two: IndexRange, counter: ir.Value, step: int, loop: scf.ForOp
) -> bool:
    """Return whether two spans are disjoint in any two iterations, which differ by whole steps."""
    factor = one.begin.factor(counter)
    ahead = one.begin.minus(two.begin)
    others = [v for v in (*one.begin.terms, *two.begin.terms) if v != counter]
    if ahead.terms or any(is_inside(value, loop) for value in others):
        return False
    jump = abs(factor * step)
    if jump == 0:
        return _is_apart(ahead, one.extent, two.extent)
    return ahead.constant + jump >= two.extent and ahead.constant - jump <= -one.extent


def is_inside(value: ir.Value, op: ir.OpView) -> bool:
    """Return whether the value is defined in a region of the op."""
    owner: Any = value.owner
    around = owner.owner if isinstance(owner, ir.Block) else owner.parent
    while around is not None:
        if around.operation == op.operation:
            return True
        around = around.operation.parent
    return False
