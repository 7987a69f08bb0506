"""The rows of memref types."""

from mlir import ir

import forebay  # noqa: F401
from forebay.dialects.memref_pool import RowsAttr
from forebay.ir.rows.layout import is_rows, row_dims_of, row_type_of, rows_along, rows_of, with_rows


def test_rows_are_of_the_leading_dimensions() -> None:
    with ir.Context(), ir.Location.unknown():
        type_ = ir.MemRefType(ir.Type.parse("memref<1x4x8x3xi16, #memref_pool.rows<2>>"))
        rows = rows_of(type_)
        assert rows is not None
        assert (rows.extents, rows.count, rows.dims) == ((1, 4), 4, 2)
        assert (rows.row_shape, rows.row_bytes, rows.alignment) == ((8, 3), 48, 2)
        assert str(row_type_of(type_)) == "memref<8x3xi16>"


def test_rows_of_a_contiguous_memref_are_asked_for() -> None:
    with ir.Context(), ir.Location.unknown():
        type_ = ir.MemRefType(ir.Type.parse("memref<1x4x8xi8>"))
        assert rows_of(type_) is None and not is_rows(type_)
        assert rows_along(type_, 2).row_bytes == 8
        assert str(with_rows(type_, 2)) == "memref<1x4x8xi8, #memref_pool.rows<2>>"
        assert is_rows(with_rows(type_, 2))
        layout = with_rows(type_, 2).layout
        assert isinstance(layout, RowsAttr) and layout.dims == 2


def test_rows_are_along_the_first_dimension_that_is_not_one() -> None:
    assert row_dims_of((1, 32, 32, 16)) == 2
    assert row_dims_of((1, 1, 50, 16)) == 3
    assert row_dims_of((4, 8)) == 1
    assert row_dims_of((1, 64)) is None
    assert row_dims_of((1, 1)) is None
