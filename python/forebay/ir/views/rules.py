"""Rules for view ops: which elements a view shows, and its layout.

The op's own interfaces say that it makes a view, of which operand, and with which offsets, sizes
and strides (`forebay.ir.interfaces`). What they do not say is in `VIEW_RULES` only. The
plan check has a table of its own on purpose.

A view op that is not in the table is handled, too. It may show any elements of the underlying
buffer (`ViewKind.ANY`), and its layout is that of its result's type.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum, auto
from functools import reduce
from operator import mul
from typing import Any

from mlir import ir
from mlir.dialects import memref
from msgspec import Struct
from msgspec.structs import replace

from forebay.ir.attributes import entries_of
from forebay.ir.interfaces import FoldResult, Slice, slice_of
from forebay.ir.views.layouts import DYNAMIC, DYNAMIC_OFFSET
from forebay.ir.views.strided import LayoutRule, StridedLayout, ViewNumbers

_Layout = StridedLayout[Any]
_Numbers = ViewNumbers[Any]
_NONE = Slice((), (), ())


class ViewKind(Enum):
    """The elements that a view shows."""

    SAME = auto()
    """All elements of the source, in the same dimensions."""
    RESHAPED = auto()
    """All elements of the source, in the same row-major order, in other dimensions."""
    PERMUTED = auto()
    """All elements of the source, with the dimensions in another order."""
    PART = auto()
    """Elements of the source in a box, with strides."""
    ANY = auto()
    """Any elements of the underlying buffer, also outside of the source."""


def same(_: ir.OpView) -> LayoutRule:
    """Return the layout of the source."""
    return LayoutRule(_NONE, lambda source, _: source)


def of_type(op: ir.OpView) -> LayoutRule | None:
    """Return the layout that the result's type gives, or None if it is not static."""
    type_ = op.results[0].type
    if not isinstance(type_, ir.MemRefType):
        return None
    strides, offset = type_.get_strides_and_offset()
    if offset == DYNAMIC_OFFSET or DYNAMIC_OFFSET in strides or DYNAMIC in type_.shape:
        return None
    return LayoutRule(Slice((offset,), tuple(type_.shape), tuple(strides)), _from_base)


def _of_operands(op: memref.ReinterpretCastOp) -> LayoutRule | None:
    """Return the layout of an op whose offset, sizes and strides are those of its result."""
    numbers = slice_of(op)
    return None if numbers is None else LayoutRule(numbers, _from_base)


def _from_base(source: _Layout, numbers: _Numbers) -> _Layout:
    return replace(
        source,
        start=source.base + numbers.offsets[0] * source.unit,
        sizes=numbers.sizes,
        strides=tuple(stride * source.unit for stride in numbers.strides),
    )


def _part(op: memref.SubViewOp) -> LayoutRule | None:
    numbers = slice_of(op)
    if numbers is None:
        return None
    kept = _kept_axes(numbers.sizes, ir.MemRefType(op.result.type).shape)

    def layout(source: _Layout, numbers: _Numbers) -> _Layout:
        start = source.start
        for offset, stride in zip(numbers.offsets, source.strides, strict=True):
            start = start + offset * stride
        return replace(
            source,
            start=start,
            sizes=tuple(numbers.sizes[axis] for axis in kept),
            strides=tuple(numbers.strides[axis] * source.strides[axis] for axis in kept),
        )

    return LayoutRule(numbers, layout)


def _kept_axes(sizes: Sequence[FoldResult], shape: Sequence[int]) -> list[int]:
    """Return the axes that a smaller shape keeps, in order; the dropped ones have size 1.

    If several axes have size 1, any of them may be dropped: their index is always 0.
    """
    kept: list[int] = []
    for axis, size in enumerate(sizes):
        left, missing = len(sizes) - axis, len(shape) - len(kept)
        if missing and (left == missing or size != 1 or shape[len(kept)] == 1):
            kept.append(axis)
    return kept


def _collapsed(op: memref.CollapseShapeOp) -> LayoutRule:
    """Merge neighbouring axes; the stride is that of the last axis whose size is not 1."""
    groups = _groups(op.reassociation)

    def layout(source: _Layout, _: _Numbers) -> _Layout:
        last = [[axis for axis in axes if source.sizes[axis] != 1] or axes for axes in groups]
        return replace(
            source,
            sizes=tuple(reduce(mul, [source.sizes[axis] for axis in axes]) for axes in groups),
            strides=tuple(source.strides[axes[-1]] for axes in last),
        )

    return LayoutRule(_NONE, layout)


def _expanded(op: memref.ExpandShapeOp) -> LayoutRule:
    """Split axes: the last part keeps the stride, each other part steps over all inner ones."""
    dynamic = iter(op.output_shape)
    shape = tuple(next(dynamic) if n == DYNAMIC else n for n in op.static_output_shape)
    groups = _groups(op.reassociation)

    def layout(source: _Layout, numbers: _Numbers) -> _Layout:
        # A memref of rank 0 has one element and no group, so the result's sizes are all 1.
        strides = [source.unit] * (0 if groups else len(numbers.sizes))
        for axes, stride in zip(groups, source.strides, strict=True):
            strides += _row_major([numbers.sizes[axis] for axis in axes], stride)
        return replace(source, sizes=numbers.sizes, strides=tuple(strides))

    return LayoutRule(Slice((), shape, ()), layout)


def _row_major(sizes: Sequence[Any], innermost: Any) -> list[Any]:
    strides = [innermost]
    for size in reversed(sizes[1:]):
        strides.append(strides[-1] * size)
    return strides[::-1]


def _groups(reassociation: ir.ArrayAttr) -> list[list[int]]:
    """Return the axes of the larger rank that each axis of the smaller rank stands for."""
    groups = [entries_of(ir.ArrayAttr(axes)) for axes in entries_of(reassociation)]
    return [[ir.IntegerAttr(axis).value for axis in axes] for axes in groups]


def _transposed(op: memref.TransposeOp) -> LayoutRule:
    order = [ir.AffineDimExpr(expr).position for expr in op.permutation.value.results]

    def layout(source: _Layout, _: _Numbers) -> _Layout:
        return replace(
            source,
            sizes=tuple(source.sizes[axis] for axis in order),
            strides=tuple(source.strides[axis] for axis in order),
        )

    return LayoutRule(_NONE, layout)


class ViewRule(Struct, frozen=True):
    """The elements that a view op shows, and its layout.

    `layout` returns None if the layout is unknown. `is_rebased` is set for an op whose result's
    offset counts from the first byte of the view, not from that of the buffer.
    """

    kind: ViewKind = ViewKind.ANY
    layout: Callable[[Any], LayoutRule | None] = of_type
    is_rebased: bool = False


VIEW_RULES: dict[type[ir.OpView], ViewRule] = {
    memref.AssumeAlignmentOp: ViewRule(ViewKind.SAME, same),
    memref.CastOp: ViewRule(ViewKind.SAME, same),
    memref.CollapseShapeOp: ViewRule(ViewKind.RESHAPED, _collapsed),
    memref.ExpandShapeOp: ViewRule(ViewKind.RESHAPED, _expanded),
    memref.MemorySpaceCastOp: ViewRule(ViewKind.SAME, same),
    memref.ReinterpretCastOp: ViewRule(ViewKind.ANY, _of_operands),
    memref.ReshapeOp: ViewRule(ViewKind.RESHAPED),
    memref.SubViewOp: ViewRule(ViewKind.PART, _part),
    memref.TransposeOp: ViewRule(ViewKind.PERMUTED, _transposed),
    memref.ViewOp: ViewRule(is_rebased=True),
}

OTHER_VIEW = ViewRule()
"""The rule of a view op that is not in the table."""
