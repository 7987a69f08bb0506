"""Layouts in memref types."""

import pytest
from mlir import ir

from forebay.ir.views.layouts import has_static_layout, is_contiguous, offset_of


@pytest.mark.parametrize(
    ("type_", "contiguous", "offset"),
    [
        ("memref<4x6xi8>", True, 0),
        ("memref<i8>", True, 0),
        ("memref<4x6xi8, strided<[6, 1], offset: 3>>", True, 3),
        ("memref<4x6xi8, strided<[6, 1], offset: ?>>", True, None),
        ("memref<4x6xi8, strided<[8, 1]>>", False, 0),
        ("memref<4x6xi8, strided<[1, 4]>>", False, 0),
        ("memref<4x6xi8, strided<[?, 1]>>", False, 0),
        ("memref<4x1x6xi8, strided<[6, 99, 1]>>", True, 0),  # the index of a size of 1 is always 0
        ("memref<?x6xi8>", False, 0),
    ],
)
def test_contiguous_layouts_and_offsets(type_: str, contiguous: bool, offset: int | None) -> None:
    with ir.Context():
        parsed = ir.MemRefType(ir.Type.parse(type_))
        assert (is_contiguous(parsed), offset_of(parsed)) == (contiguous, offset)


@pytest.mark.parametrize(
    ("type_", "static"),
    [
        ("memref<4x6xi8, strided<[8, 1], offset: 3>>", True),
        ("memref<?x6xi8>", False),
        ("memref<4x6xi8, strided<[?, 1]>>", False),
        ("memref<4x6xi8, strided<[6, 1], offset: ?>>", False),
    ],
)
def test_a_static_layout_has_known_shape_strides_and_offset(type_: str, static: bool) -> None:
    with ir.Context():
        assert has_static_layout(ir.MemRefType(ir.Type.parse(type_))) == static
