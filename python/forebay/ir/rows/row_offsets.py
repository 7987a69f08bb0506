"""The planned offsets of the rows of a buffer, and the simplest arithmetic that gives them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

BY_ROWS = "memref_pool.by_rows"
"""The attribute of a loop that computes tensors row by row."""

ROW_TABLE = "memref_pool.row_table"
"""The attribute of a constant that holds offsets of rows, in units of that many bytes.

Also that of an argument of a function to which each call passes such a constant.
"""

ROW_OF = "memref_pool.row_of"
"""The attribute of a `memref.view` that is a row: the name of the buffer.

In a function that shows rows of several buffers, the view has a number instead: the name is at that
position of `ROW_BUFFERS` of each call.
"""

ROW_BUFFERS = "memref_pool.row_buffers"
"""The attribute of a call of such a function: names of buffers."""

ROW_NUMBER = "memref_pool.row_number"
"""The attribute of such a view that is always the same row: its number in row-major order."""


class StridedOffsets(Struct, frozen=True):
    """Row `y` is at `start + y % period * stride`; without a period at `start + y * stride`."""

    start: int
    stride: int
    period: int | None = None


class OffsetTable(Struct, frozen=True):
    """Row `y` is at `entries[y] * unit`; an entry takes `width` bits, and none is negative."""

    entries: tuple[int, ...]
    unit: int
    width: int


def row_addresses(offsets: Sequence[int]) -> StridedOffsets | OffsetTable:
    """Return the arithmetic for offsets of rows: a stride, a ring of a power of two, or a table.

    The remainder of another divisor takes longer than to load an entry.

    ::

        [0, 8, 16, 24]   y * 8          [0, 8, 0, 8]   y % 2 * 8        [8, 0, 4]   entries[y]
    """
    stride = offsets[1] - offsets[0] if len(offsets) > 1 else 0
    period = 1
    while period < len(offsets):
        if _is_strided(offsets, stride, period):
            return (
                StridedOffsets(offsets[0], stride, period)
                if period > 1
                else StridedOffsets(offsets[0], 0)
            )
        period *= 2
    if _is_strided(offsets, stride, period):
        return StridedOffsets(offsets[0], stride)
    return _table(offsets)


def offset_tables(buffers: Sequence[Sequence[int]]) -> tuple[OffsetTable, ...]:
    """Return the tables of several buffers with equally many rows, all of one unit and width."""
    whole = _table([offset for offsets in buffers for offset in offsets])
    rows = len(whole.entries) // len(buffers)
    starts = range(0, len(whole.entries), rows)
    parts = [whole.entries[start : start + rows] for start in starts]
    return tuple(OffsetTable(entries, whole.unit, whole.width) for entries in parts)


def _is_strided(offsets: Sequence[int], stride: int, period: int) -> bool:
    return all(offset == offsets[0] + row % period * stride for row, offset in enumerate(offsets))


def _table(offsets: Sequence[int]) -> OffsetTable:
    """Return the table with the smallest unit for which an entry fits 16 bits, else of 32 bits."""
    most, unit = max(offsets), 1
    while most // unit > 32767 and all(offset % (2 * unit) == 0 for offset in offsets):
        unit *= 2
    if most // unit > 32767:
        return OffsetTable(tuple(offsets), 1, 32)
    return OffsetTable(tuple(offset // unit for offset in offsets), unit, 16)
