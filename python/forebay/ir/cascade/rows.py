"""The rows of a memref, and the rows of its buffer that a box of a view shows.

The row dimension is the first one with several indices; the elements of a row are contiguous::

    memref<1x32x32x16xi8>      32 rows of 512 bytes
    memref<1x64xi8>            one row of 64 bytes: its first long dimension is its last one
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlir import ir
from msgspec import Struct

from forebay.ir.machine.pools import bytes_of, element_bytes
from forebay.ir.views.layouts import DYNAMIC_OFFSET
from forebay.regions import Box, Span


class BufferRows(Struct, frozen=True):
    """`count` rows of `elements` elements; `dimension` is that of the rows, None for one row."""

    dimension: int | None
    count: int
    elements: int


def buffer_rows_of(type_: ir.MemRefType) -> BufferRows:
    """Return the rows of a buffer of a static type."""
    shape = tuple(type_.shape)
    for dimension, size in enumerate(shape[:-1]):
        if size > 1:
            return BufferRows(dimension, size, math.prod(shape[dimension + 1 :]))
    return BufferRows(None, 1, math.prod(shape))


def row_bytes_of(type_: ir.MemRefType) -> int:
    """Return the bytes of a row."""
    rows = buffer_rows_of(type_)
    return bytes_of(type_) if rows.count == 1 else rows.elements * element_bytes(type_.element_type)


def rows_shown(view: ir.MemRefType, boxes: Sequence[Box], rows: BufferRows) -> tuple[Span, ...]:
    """Return the rows of the buffer around the elements of each box of a view.

    They are all rows where the layout is not static, and none for a box without elements.
    """
    whole = Span(0, rows.count)
    if rows.count > 1:
        strides, offset = view.get_strides_and_offset()
        if offset != DYNAMIC_OFFSET and DYNAMIC_OFFSET not in strides and view.has_static_shape:
            return tuple(_span_shown(box, strides, offset, rows.elements) for box in boxes)
    return tuple(whole if box.elements else Span(0, 0) for box in boxes)


def distance_of_rows(view: ir.MemRefType, distances: Sequence[int], rows: BufferRows) -> int:
    """Return a number that divides the distances between the rows of some elements of a view.

    `distances` divide those between the indices of each dimension; 0 is for a single index. Return
    1 where dimensions of a part of a row may reach into the next row of the buffer.
    """
    strides, offset = view.get_strides_and_offset()
    if rows.count == 1 or offset == DYNAMIC_OFFSET or min(strides, default=0) < 0:
        return 1
    distance, last = 0, offset % rows.elements
    for own, stride, extent in zip(distances, strides, view.shape, strict=True):
        if stride % rows.elements == 0:
            distance = math.gcd(distance, own * stride // rows.elements)
        else:
            last += stride * (extent - 1)
    return distance if distance > 1 and last < rows.elements else 1


def _span_shown(box: Box, strides: Sequence[int], offset: int, row: int) -> Span:
    first = last = offset
    for span, stride in zip(box.spans, strides, strict=True):
        size = span.stop - span.start
        if not size:
            return Span(0, 0)
        one, other = stride * span.start, stride * (span.stop - 1)
        first, last = first + min(one, other), last + max(one, other)
    return Span(first // row, last // row + 1)
