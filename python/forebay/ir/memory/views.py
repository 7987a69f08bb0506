"""Views: what an op that makes a view shows of the memref that it views.

The op's own interfaces say that it makes a view, of which operand, and with which offsets, sizes
and strides (`forebay.ir.interfaces`). What they do not say is in this module and nowhere else,
except in the plan check, which has a table of its own on purpose.

A view op that is not in a table here is handled, too. It may show any elements of the underlying
buffer (`ViewKind.ANY`), and its layout is that of its result's type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum, auto

from mlir import ir
from mlir.dialects import memref
from msgspec import Struct

from forebay.ir.interfaces import (
    FoldResult,
    declared_effects_of,
    is_view,
    slice_of,
    source_of_view,
    viewed_by,
)
from forebay.ir.memory.layouts import DYNAMIC, DYNAMIC_OFFSET


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


_KINDS: Mapping[type[ir.OpView], ViewKind] = {
    memref.AssumeAlignmentOp: ViewKind.SAME,
    memref.CastOp: ViewKind.SAME,
    memref.CollapseShapeOp: ViewKind.RESHAPED,
    memref.ExpandShapeOp: ViewKind.RESHAPED,
    memref.MemorySpaceCastOp: ViewKind.SAME,
    memref.ReshapeOp: ViewKind.RESHAPED,
    memref.SubViewOp: ViewKind.PART,
    memref.TransposeOp: ViewKind.PERMUTED,
}

_REBASED: tuple[type[ir.OpView], ...] = (memref.ViewOp,)
"""Ops whose result's offset counts from the first byte of the view, not from that of the buffer."""


def view_kind_of(op: ir.OpView) -> ViewKind | None:
    """Return what a view op shows, or None for an op that makes no view."""
    return _KINDS.get(type(op), ViewKind.ANY) if is_view(op) else None


def is_pure_view(op: ir.OpView) -> bool:
    """Return whether the op makes a view and accesses no memory, so it can be moved and removed."""
    return is_view(op) and not declared_effects_of(op)


def is_inside_source(op: ir.OpView) -> bool:
    """Return whether the op makes a view that shows only elements of its source."""
    return view_kind_of(op) not in (None, ViewKind.ANY)


def shares_base(op: ir.OpView) -> bool:
    """Return whether the op makes a view whose offset counts from the same byte as the source's."""
    return is_view(op) and not isinstance(op, _REBASED)


def source_in_buffer(value: ir.Value) -> ir.Value | None:
    """Return the source of a view whose offset counts from the same byte, else None."""
    source = source_of_view(value)
    return source if source is not None and shares_base(value.owner.opview) else None


class ViewLayout(Struct, frozen=True):
    """The layout of a view: element `(i0, ...)` is at `offset + i0 * strides[0] + ...`.

    All numbers are in elements. The offset counts from the first byte of the buffer, as the offset
    in a memref type does.
    """

    offset: FoldResult
    sizes: tuple[FoldResult, ...]
    strides: tuple[FoldResult, ...]


def view_layout_of(op: ir.OpView) -> ViewLayout | None:
    """Return the layout of a view that shares the base of its source.

    Returns None for any other op, and where neither a rule nor the result's type gives the layout.
    """
    if not shares_base(op) or len(op.results) != 1:
        return None
    rule = _LAYOUTS.get(type(op), _of_type)
    return rule(op)


def _of_type(op: ir.OpView) -> ViewLayout | None:
    source, type_ = viewed_by(op), ir.MemRefType(op.results[0].type)
    if source is None or ir.ShapedType(source.type).element_type != type_.element_type:
        return None
    strides, offset = type_.get_strides_and_offset()
    if offset == DYNAMIC_OFFSET or DYNAMIC_OFFSET in strides or DYNAMIC in type_.shape:
        return None
    return ViewLayout(offset, tuple(type_.shape), tuple(strides))


def _of_operands(op: ir.OpView) -> ViewLayout | None:
    """Return the layout of an op whose offset, sizes and strides are those of its result."""
    part = slice_of(op)
    return None if part is None else ViewLayout(part.offsets[0], part.sizes, part.strides)


_LAYOUTS: Mapping[type[ir.OpView], Callable[[ir.OpView], ViewLayout | None]] = {
    memref.ReinterpretCastOp: _of_operands,
}
"""Rules for view ops whose layouts may be dynamic."""
