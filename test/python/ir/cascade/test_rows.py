"""Claims about the rows of memrefs."""

from __future__ import annotations

import pytest
from mlir import ir

from forebay.ir.cascade.rows import (
    BufferRows,
    buffer_rows_of,
    distance_of_rows,
    row_bytes_of,
    rows_shown,
)
from forebay.regions import Box


@pytest.fixture(autouse=True)
def context():
    with ir.Context():
        yield


def _type(text: str) -> ir.MemRefType:
    return ir.MemRefType(ir.Type.parse(text))


@pytest.mark.parametrize(
    ("type_", "rows", "size"),
    [
        ("memref<1x32x30x16xi8>", BufferRows(1, 32, 480), 480),
        ("memref<1x1x49x10xi32>", BufferRows(2, 49, 10), 40),
        ("memref<1x64xi8>", BufferRows(None, 1, 64), 64),
        ("memref<i32>", BufferRows(None, 1, 1), 4),
    ],
)
def test_the_first_dimension_with_several_indices_is_that_of_the_rows(type_, rows, size):
    assert buffer_rows_of(_type(type_)) == rows
    assert row_bytes_of(_type(type_)) == size


def test_rows_around_the_elements_of_a_view():
    rows = buffer_rows_of(_type("memref<1x8x4x6xi8>"))
    part = _type("memref<1x3x4x2xi8, strided<[192, 24, 6, 1], offset: 52>>")
    boxes = [Box.of((1, 3, 4, 2)), Box.at((0, 1, 0, 0), (1, 1, 4, 2)), Box.of((1, 0, 4, 2))]
    assert _rows(part, boxes, rows) == [(2, 5), (3, 4), (0, 0)]
    flat = _type("memref<1x32x6xi8>")
    assert _rows(flat, [Box.at((0, 7, 0), (1, 2, 6))], rows) == [(1, 3)]
    moving = _type("memref<1x3x4x6xi8, strided<[192, 24, 6, 1], offset: ?>>")
    assert _rows(moving, [Box.of((1, 3, 4, 6)), Box.of((0, 3, 4, 6))], rows) == [(0, 8), (0, 0)]


@pytest.mark.parametrize(
    ("view", "distances", "expected"),
    [
        ("memref<1x8x4x6xi8>", (0, 2, 1, 1), 2),
        ("memref<1x3x4x2xi8, strided<[192, 24, 6, 1], offset: 52>>", (0, 4, 2, 1), 4),
        ("memref<1x4x4x6xi8, strided<[192, 48, 6, 1]>>", (0, 3, 1, 1), 6),  # every other row
        ("memref<1x32x6xi8>", (0, 4, 1), 1),  # four indices are a row
        ("memref<1x3x4x6xi8, strided<[192, 24, 6, 1], offset: ?>>", (0, 2, 1, 1), 1),
        ("memref<1x3x4x6xi8, strided<[192, 24, 6, 1], offset: 6>>", (0, 2, 1, 1), 1),  # two rows
    ],
)
def test_distances_of_rows_follow_from_those_of_indices(view, distances, expected):
    rows = buffer_rows_of(_type("memref<1x8x4x6xi8>"))
    assert distance_of_rows(_type(view), distances, rows) == expected


def _rows(view: ir.MemRefType, boxes: list[Box], rows: BufferRows) -> list[tuple[int, int]]:
    """Return the ends of the rows that each box shows."""
    return [(span.start, span.stop) for span in rows_shown(view, boxes, rows)]
