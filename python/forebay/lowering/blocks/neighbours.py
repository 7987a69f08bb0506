"""Dimensions of an `accel.reduce` along which the elements of an operand are neighbours."""

from __future__ import annotations

from mlir import ir

from forebay.dialects.accel import ReduceOp
from forebay.ir.memory.linear import linear_of_map
from forebay.ir.rows.layout import rows_of


def neighbours_in(op: ReduceOp, number: int, value: ir.Value) -> frozenset[int]:
    """Return the dimensions along which the operand with this map has neighbours in memory."""
    type_, rows = ir.MemRefType(value.type), rows_of(value.type)
    forms = linear_of_map(ir.AffineMapAttr(op.maps[number]).value)
    if rows is not None and rows.dims >= len(forms):
        return frozenset()
    if rows is None and (not forms or type_.get_strides_and_offset()[0][-1] != 1):
        return frozenset()
    others = [form for form in forms[:-1] if form is not None]
    last = forms[-1]
    if last is None or len(others) + 1 != len(forms):
        return frozenset()
    taken = frozenset[int]().union(*(form.terms for form in others))
    return frozenset(d for d, factor in last.terms.items() if factor == 1 and d not in taken)


def uses_dim(op: ReduceOp, number: int, dim: int) -> bool:
    """Return whether the operand with this map has other elements along a dimension."""
    forms = linear_of_map(ir.AffineMapAttr(op.maps[number]).value)
    return any(form is None or form.factor(dim) != 0 for form in forms)
