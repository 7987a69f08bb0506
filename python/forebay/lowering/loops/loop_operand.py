"""An operand of a nest: its memory, and the index of an element in it."""

from __future__ import annotations

from mlir import ir

from forebay.ir.memory.linear import Linear
from forebay.ir.rows.layout import rows_of
from forebay.ir.rows.row_shape import row_of_shape
from forebay.lowering.loops.counters import Counters


class LoopOperand:
    """An operand and the linear forms of its index.

    Of an operand whose rows lie anywhere, the memory is one row: `enter` takes it when its index is
    known, in the loop over `known_at`, or outside of all loops for -1. `row` are the forms that
    select it, and `inside` those of the index in the memory.
    """

    def __init__(self, value: ir.Value, index: list[Linear[int]]) -> None:
        self.value = value
        self.index = index
        self.memory = value
        rows = rows_of(value.type)
        self.row = index[: rows.dims] if rows is not None else []
        self.inside = index[len(self.row) :]
        self.known_at = max((dim for form in self.row for dim in form.terms), default=-1)

    def axes(self) -> list[tuple[Linear[int], int]]:
        """Return the forms of the index with the extents of the operand."""
        return list(zip(self.index, ir.MemRefType(self.value.type).shape, strict=True))

    def enter(self, dim: int, counters: Counters) -> None:
        """Take the row at the beginning of the loop over `dim`, if it is known there."""
        if self.row and self.known_at == dim:
            indices = [counters.value(form) if form.terms else form.constant for form in self.row]
            self.memory = row_of_shape(self.value, indices)

    def position(self, counters: Counters) -> list[ir.Value]:
        """Return the index of the element in the memory."""
        return [counters.value(form) for form in self.inside]
