"""The rows of buffers that the ops of a loop body access, in all iterations at once.

A row is everything at one index of the leading dimensions, up to the first with an extent above 1.
An array of rows has one line per row that an op accesses, and one column per iteration; lines may
be equal, and numbers outside of the buffer stand for no row::

    accel.reduce at [%y, 0, 0 | 0, 0, 0]  of a window of 3 rows     %y     0  1  2  3
                                                                          -1  0  1  2
                                                                           0  1  2  3
                                                                           1  2  3  4
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.dialects import memref

from forebay.dialects.accel import ReduceOp
from forebay.dialects.memref_pool import RowOp, RowsAttr
from forebay.ir.interfaces import slice_of
from forebay.ir.liveness.index_values import IndexValues, PerTrip
from forebay.ir.rows.indices import indices_of
from forebay.ir.rows.layout import row_dims_of
from forebay.ir.structured.affine_expression import affine_of
from forebay.ir.structured.reduce_box import box_of, mapped_operands_of
from forebay.regions import Affine

_MOST_POINTS = 4096
"""Points of a domain that decide a row and are enumerated; with more, all rows are accessed."""

NO_ROW = -1


def row_extents(type_: ir.MemRefType) -> tuple[int, ...]:
    """Return the extents of the dimensions that index the rows of a buffer.

    There are none where the buffer is one row.
    """
    layout = type_.layout
    dims = layout.dims if isinstance(layout, RowsAttr) else row_dims_of(type_.shape) or 0
    return tuple(type_.shape[:dims])


def row_count(type_: ir.MemRefType) -> int:
    """Return the number of rows of a buffer of static shape."""
    return math.prod(row_extents(type_))


def rows_of_view(op: ir.OpView, values: IndexValues) -> PerTrip | None:
    """Return the rows that a view of a whole buffer shows, or None for all of them."""
    if isinstance(op, RowOp):
        indices = [values.of_number(index) for index in indices_of(op)]
        return _numbered(indices, row_extents(ir.MemRefType(op.source.type)))
    part = slice_of(op)
    if isinstance(op, memref.SubViewOp) and part is not None:
        type_ = ir.MemRefType(op.source.type)
        extents = row_extents(type_)
        dims = len(extents)
        begins = [values.of_number(offset) for offset in part.offsets[:dims]]
        steps = [s for s in part.strides[:dims] if isinstance(s, int)]
        sizes = [s for s in part.sizes[:dims] if isinstance(s, int)]
        if len(steps) == dims == len(sizes) and math.prod(sizes) <= _MOST_POINTS:
            points = itertools.product(*map(range, sizes))
            lines = [
                _numbered(_along(begins, steps, point), row_extents(type_)) for point in points
            ]
            return _stacked(lines)
    return None


def rows_of_element(
    indices: Sequence[ir.Value], type_: ir.MemRefType, values: IndexValues
) -> PerTrip | None:
    """Return the row of the element at some indices, or None if data decides it."""
    outer = list(indices)[: len(row_extents(type_))]
    return _numbered([values.of(index) for index in outer], row_extents(type_))


def rows_of_reduce(
    op: ReduceOp, value: ir.Value, buffer: ir.MemRefType, values: IndexValues
) -> PerTrip | None:
    """Return the rows of an operand that `maps` address, or None for all of them.

    The operand is all of a buffer, maybe in another shape.
    """
    box = box_of(op)
    starts = [values.of_number(start) for start in box.starts]
    type_ = ir.MemRefType(value.type)
    axes, parts = _parts_of_rows(type_.shape, math.prod(buffer.shape) // row_count(buffer))
    found: list[PerTrip | None] = []
    for operand, map_ in zip(mapped_operands_of(op), op.maps, strict=True):
        if operand != value:
            continue
        outer = list(ir.AffineMapAttr(map_).value.results)[:axes]
        part = _rows_in_box(list(map(affine_of, outer)), starts, box.sizes, type_.shape[:axes])
        found.append(part if part is None else np.where(part >= 0, part // parts, NO_ROW))
    return _stacked(found)


def _parts_of_rows(shape: Sequence[int], elements: int) -> tuple[int, int]:
    """Return how many leading dimensions count parts of rows, and the number of parts in a row.

    ::

        rows of 8960 elements, as 49 x 1280     one dimension; 7 parts in a row
    """
    axes, part = 0, math.prod(shape)
    while elements % part:
        part //= shape[axes]
        axes += 1
    return axes, elements // part


def _rows_in_box(
    index: Sequence[Affine],
    starts: Sequence[PerTrip | None],
    sizes: Sequence[int],
    extents: Sequence[int],
) -> PerTrip | None:
    used = sorted(frozenset[int]().union(*(expression.dimensions for expression in index)))
    if math.prod(sizes[d] for d in used) > _MOST_POINTS:
        return None
    lines: list[PerTrip | None] = []
    for point in itertools.product(*(range(sizes[d]) for d in used)):
        at: dict[int, PerTrip] = {}
        for dimension, ahead in zip(used, point, strict=True):
            start = starts[dimension]
            if start is None:
                return None
            at[dimension] = start + ahead
        lines.append(_numbered([_value(expression, at) for expression in index], extents))
    return _stacked(lines)


def _value(expression: Affine, at: dict[int, PerTrip]) -> PerTrip:
    """Return the value of an expression, which the op's verifier keeps linear."""
    none = np.full(1, expression.constant, np.int64)
    return sum((factor * at[d] for d, factor in expression.terms), none)


def _along(
    begins: Sequence[PerTrip | None], steps: Sequence[int], point: Sequence[int]
) -> list[PerTrip | None]:
    return [
        None if begin is None else begin + step * number
        for begin, step, number in zip(begins, steps, point, strict=True)
    ]


def _numbered(indices: Sequence[PerTrip | None], extents: Sequence[int]) -> PerTrip | None:
    """Return the number of the row at an index per dimension, in row-major order."""
    number, is_inside = np.zeros(1, np.int64), np.ones(1, np.bool_)
    for index, extent in zip(indices, extents, strict=True):
        if index is None:
            return None
        number = number * extent + index
        is_inside = is_inside & (index >= 0) & (index < extent)
    return np.where(is_inside, number, NO_ROW)[np.newaxis]


def _stacked(lines: Sequence[PerTrip | None]) -> PerTrip | None:
    known = [line for line in lines if line is not None]
    if len(known) < len(lines) or not known:
        return None
    width = max(line.shape[1] for line in known)
    return np.concatenate([np.broadcast_to(a, (len(a), width)) for a in known])
