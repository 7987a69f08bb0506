"""The elements that a view op shows of the memref that it views, and its layout."""

from __future__ import annotations

from mlir import ir

from forebay.ir.interfaces import declared_effects_of, is_view, source_of_view, viewed_by
from forebay.ir.views.rules import OTHER_VIEW, VIEW_RULES, ViewKind
from forebay.ir.views.strided import LayoutRule


def view_kind_of(op: ir.OpView) -> ViewKind | None:
    """Return what a view op shows, or None for an op that makes no view."""
    return VIEW_RULES.get(type(op), OTHER_VIEW).kind if is_view(op) else None


def is_pure_view(op: ir.OpView) -> bool:
    """Return whether the op makes a view and accesses no memory, so it can be moved and removed."""
    return is_view(op) and not declared_effects_of(op)


def is_inside_source(op: ir.OpView) -> bool:
    """Return whether the op makes a view that shows only elements of its source."""
    return view_kind_of(op) not in (None, ViewKind.ANY)


def shares_base(op: ir.OpView) -> bool:
    """Return whether the op makes a view whose offset counts from the same byte as the source's."""
    return is_view(op) and not VIEW_RULES.get(type(op), OTHER_VIEW).is_rebased


def source_in_buffer(value: ir.Value) -> ir.Value | None:
    """Return the source of a view whose offset counts from the same byte, else None."""
    source = source_of_view(value)
    return source if source is not None and shares_base(value.owner.opview) else None


def layout_rule_of(op: ir.OpView) -> LayoutRule | None:
    """Return how the layout of a view follows from that of its source.

    Returns None for an op that makes no view or one of another base or element type, and where
    neither a rule nor the result's type gives the layout.
    """
    if not shares_base(op) or len(op.results) != 1:
        return None
    source = viewed_by(op)
    if source is None or _element_of(source) != _element_of(op.results[0]):
        return None
    return VIEW_RULES.get(type(op), OTHER_VIEW).layout(op)


def _element_of(value: ir.Value) -> ir.Type:
    return ir.ShapedType(value.type).element_type
