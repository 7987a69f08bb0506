"""The rows of a memref, and the rows of its buffer that a box of a view shows.

The row dimension is the first one with several indices; the elements of a row are contiguous::

    memref<1x32x32x16xi8>      32 rows of 512 bytes
    memref<1x64xi8>            one row of 64 bytes: its first long dimension is its last one
"""

from __future__ import annotations

import math

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


def rows_shown(view: ir.MemRefType, box: Box, rows: BufferRows) -> Span:
    """Return the rows of the buffer around the elements of a box of a view; all if not static."""
    if not box.elements:
        return Span(0, 0)
    if rows.count == 1:
        return Span(0, 1)
    strides, offset = view.get_strides_and_offset()
    if offset == DYNAMIC_OFFSET or DYNAMIC_OFFSET in strides or not view.has_static_shape:
        return Span(0, rows.count)
    first = last = offset
    for span, stride in zip(box.spans, strides, strict=True):
        ends = (stride * span.start, stride * (span.stop - 1))
        first, last = first + min(ends), last + max(ends)
    return Span(first // rows.elements, last // rows.elements + 1)
