"""The rows of a memref: their number, their size, and their type."""

from __future__ import annotations

import math

from mlir import ir
from msgspec import Struct

from forebay.dialects.memref_pool import RowsAttr
from forebay.ir.machine.pools import element_bytes, natural_alignment


class Rows(Struct, frozen=True):
    """The rows of a memref in row-major order of the leading dimensions that index them.

    ::

        memref<1x4x8x3xi8, #memref_pool.rows<2>>     extents (1, 4), row_shape (8, 3)
    """

    extents: tuple[int, ...]
    row_shape: tuple[int, ...]
    row_bytes: int
    alignment: int
    """Of a row that nothing asks to be aligned to more: that of an element."""

    @property
    def count(self) -> int:
        """The number of rows."""
        return math.prod(self.extents)

    @property
    def dims(self) -> int:
        """The number of dimensions that index the rows."""
        return len(self.extents)


def is_rows(type_: ir.Type) -> bool:
    """Return whether each row of a memref type has a place of its own."""
    return isinstance(type_, ir.MemRefType) and isinstance(type_.layout, RowsAttr)


def rows_of(type_: ir.Type) -> Rows | None:
    """Return the rows of a memref type with `#memref_pool.rows`; None for any other type."""
    if not isinstance(type_, ir.MemRefType) or not isinstance(type_.layout, RowsAttr):
        return None
    return rows_along(type_, type_.layout.dims)


def rows_along(type_: ir.MemRefType, dims: int) -> Rows:
    """Return the rows of a memref, indexed by its first `dims` dimensions, in any layout."""
    element, row = type_.element_type, tuple(type_.shape[dims:])
    row_bytes = math.prod(row) * element_bytes(element)
    return Rows(tuple(type_.shape[:dims]), row, row_bytes, natural_alignment(element))


def row_dims_of(shape: tuple[int, ...] | list[int]) -> int | None:
    """Return how many leading dimensions index the rows of a tensor of this shape.

    The rows are along the first dimension with an extent above 1. None if a row has no dimension.
    """
    leading = next((axis for axis, extent in enumerate(shape) if extent > 1), len(shape))
    return leading + 1 if leading + 1 < len(shape) else None


def with_rows(type_: ir.MemRefType, dims: int) -> ir.MemRefType:
    """Return the type with the layout `#memref_pool.rows<dims>`."""
    layout = RowsAttr.get(dims, type_.context)
    return ir.MemRefType.get(type_.shape, type_.element_type, layout, type_.memory_space)


def row_type_of(type_: ir.MemRefType) -> ir.MemRefType:
    """Return the type of one row of a memref with `#memref_pool.rows`."""
    rows = rows_of(type_)
    if rows is None:
        raise TypeError(f"{type_} has no rows")
    return ir.MemRefType.get(rows.row_shape, type_.element_type, memory_space=type_.memory_space)
