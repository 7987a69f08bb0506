"""The rows that a footprint of a whole memref touches."""

import numpy as np

from forebay.emulator.memory.buffers import EmulatedBuffer
from forebay.emulator.memory.footprint import Footprint
from forebay.emulator.memory.rows_view import RowsView, row_parts_of
from forebay.emulator.memory.view import MemoryView

BYTE = np.dtype(np.int8)


def rows(*offsets: int) -> RowsView:
    """Rows of 2x4 bytes, indexed by one dimension."""
    views = tuple(
        MemoryView(EmulatedBuffer(n, f"x[{n}]", 0, at, at + 8), at, (2, 4), (4, 1), BYTE, at)
        for n, at in enumerate(offsets, 1)
    )
    whole = EmulatedBuffer(9, "x", 0, 0, 0)
    shape = (len(offsets), 2, 4)
    packed = np.zeros(8 * len(offsets), np.uint8)
    return RowsView(whole, views, shape[:1], shape, (8, 4, 1), BYTE, packed)


def test_whole_rows() -> None:
    found = rows(0, 100, 50).parts(Footprint(8, (), 16))
    assert [(row, part.span) for row, part in found] == [(1, (0, 8)), (2, (0, 8))]


def test_columns_of_all_rows() -> None:
    """Bytes 1 and 2 of each of the two columns' four bytes, in every row."""
    found = row_parts_of(rows(0, 100, 50), Footprint(1, ((6, 4),), 2))
    assert [view.at for view, _ in found] == [0, 100, 50]
    for _, part in found:
        assert part.take(np.arange(8), 0).ravel().tolist() == [1, 2, 5, 6]


def test_a_part_that_ends_inside_of_a_row() -> None:
    found = rows(0, 100, 50).parts(Footprint(6, (), 4))
    assert [(row, part.span) for row, part in found] == [(0, (6, 8)), (1, (0, 2))]


def test_the_number_of_a_row() -> None:
    assert [rows(0, 8, 16).number([index]) for index in (-1, 0, 2, 3)] == [None, 0, 2, None]
