"""Indices of rows."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from forebay.dialects.memref_pool import RowOp
from forebay.ir.interfaces import FoldResult
from forebay.ir.rows.layout import row_type_of

_DYNAMIC = ir.ShapedType.get_dynamic_size()


def indices_of(op: RowOp) -> tuple[FoldResult, ...]:
    """Return the indices of the row that the op shows: constants or values."""
    values = iter(op.indices)
    return tuple(
        next(values) if index == _DYNAMIC else index for index in map(int, op.static_indices)
    )


def row_number(extents: Sequence[int], indices: Sequence[int]) -> int:
    """Return the position of a row in row-major order."""
    number = 0
    for extent, index in zip(extents, indices, strict=True):
        number = number * extent + index
    return number


def make_row(source: ir.Value, indices: Sequence[FoldResult]) -> ir.Value:
    """Make a `memref_pool.row` at the insertion point."""
    static = [index if isinstance(index, int) else _DYNAMIC for index in indices]
    values = [index for index in indices if not isinstance(index, int)]
    return RowOp(row_type_of(ir.MemRefType(source.type)), source, values, static).row
