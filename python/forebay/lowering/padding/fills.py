"""The fills and copies of a padded copy, as a whole or of one of its rows.

::

    padded   fill 0 ... 0           row inside:  fill 0, copy the row of the source, fill 0
             0 copy 0               row outside: fill 0 ... 0
             0 ... 0
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from mlir import ir
from mlir.dialects import memref
from msgspec import Struct

from forebay.dialects import linalg
from forebay.dialects.accel import ReduceOp
from forebay.ir.rows.indices import make_row
from forebay.ir.rows.layout import is_rows
from forebay.ir.rows.row_shape import collapsed
from forebay.ir.structured.reduce_box import ReduceBox, box_of
from forebay.lowering.kernels import scalar
from forebay.lowering.loops.box_loops import either, is_between
from forebay.lowering.padding.padding import SourcePadding


def lower_padded_copy(op: ReduceOp, padding: SourcePadding) -> bool:
    """Replace a padded copy, or one row of it; return whether its box is one of these."""
    source, padded, box = op.inputs[0], op.output, box_of(op)
    axis = _row_axis(box)
    if axis is None and box.sizes != box.extents:
        return False
    with ir.InsertionPoint(op), op.operation.location:
        element = ir.MemRefType(source.type).element_type
        value = scalar.scalar_constant(padding.value, element)
        if axis is None:
            _fill_and_copy(source, padded, padding, value)
        else:
            _fill_or_copy_row(_Row(source, padded, axis, box.starts[axis]), padding, value)
    op.operation.erase()
    return True


def fill_run(memory: ir.Value, value: ir.Value) -> None:
    """Fill a contiguous memref with a value."""
    flat = collapsed(memory, [math.prod(ir.MemRefType(memory.type).shape)])
    linalg.add_body(linalg.FillOp((), [value], [flat]))


def _row_axis(box: ReduceBox) -> int | None:
    """Return the axis along which a box is one row, with all elements of it; None for others."""
    axis = next((n for n, extent in enumerate(box.extents) if extent > 1), len(box.extents) - 1)
    sizes = [1 if n == axis else extent for n, extent in enumerate(box.extents)]
    is_row = list(box.sizes) == sizes and box.sizes != box.extents
    return axis if is_row and axis + 1 < len(sizes) else None


class _Row(Struct, frozen=True, eq=False):
    """A row of the padded copy; the axes before its own have one index."""

    source: ir.Value
    padded: ir.Value
    axis: int
    number: int | ir.Value


def _fill_or_copy_row(row: _Row, padding: SourcePadding, value: ir.Value) -> None:
    first, count = padding.before[row.axis], padding.shape[row.axis]
    number = row.number if isinstance(row.number, ir.Value) else _index(row.number)
    target = _row_of(row.padded, row.axis, number)

    def inside() -> list[ir.Value]:
        source = _row_of(row.source, row.axis, scalar.add_constant(number, -first))
        _fill_and_copy(source, target, padding.within(row.axis), value)
        return []

    def outside() -> list[ir.Value]:
        fill_run(target, value)
        return []

    rows = range(padding.padded[row.axis])
    either(is_between(number, range(first, first + count), rows), [], inside, outside)


def _row_of(value: ir.Value, axis: int, number: ir.Value) -> ir.Value:
    """Return a row of a memref; the axes before it have one index."""
    if is_rows(value.type):
        return make_row(value, [*[0] * axis, number])
    type_ = ir.MemRefType(value.type)
    behind = list(type_.shape[axis + 1 :])
    offsets = [*[0] * axis, number, *[0] * len(behind)]
    part = memref.subview(value, offsets, [*[1] * (axis + 1), *behind], [1] * type_.rank)
    return collapsed(part, behind)


def _fill_and_copy(
    source: ir.Value, padded: ir.Value, padding: SourcePadding, value: ir.Value
) -> None:
    _fill_borders(padded, padding, value)
    steps = [1] * len(padding.shape)
    inside = memref.subview(padded, list(padding.before), list(padding.shape), steps)
    memref.CopyOp(source, inside)


def _fill_borders(padded: ir.Value, padding: SourcePadding, value: ir.Value) -> None:
    """Fill all that is no copy, in runs that are as long as possible."""
    flat = collapsed(padded, [padding.elements])
    type_ = ir.MemRefType(flat.type)
    for run in _repeated(_runs(padding), padding.elements):
        shown = memref.subview(flat, [run.start], [run.count * run.step], [1])
        if run.count > 1:
            _, offset = ir.MemRefType(shown.type).get_strides_and_offset()
            layout = ir.StridedLayoutAttr.get(offset, [run.step, 1]) if offset else None
            shape = [run.count, run.step]
            rows = ir.MemRefType.get(shape, type_.element_type, layout, type_.memory_space)
            shown = memref.ExpandShapeOp(rows, shown, [[0, 1]], [], shape).result
            shown = memref.subview(shown, [0, 0], [run.count, run.length], [1, 1])
        linalg.add_body(linalg.FillOp((), [value], [shown]))


class _Run(Struct, frozen=True):
    """Elements from `start` on, `count` times, each `step` after the previous ones."""

    start: int
    length: int
    count: int
    step: int


def _runs(padding: SourcePadding) -> list[tuple[int, int]]:
    """Return begin and end of each run of elements of the padding, in order."""
    inside = np.zeros(padding.padded, bool)
    inside[tuple(slice(b, b + n) for b, n in zip(padding.before, padding.shape, strict=True))] = (
        True
    )
    edges = np.flatnonzero(np.diff(inside.ravel(), prepend=True, append=True))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def _repeated(runs: list[tuple[int, int]], elements: int) -> Iterator[_Run]:
    """Yield runs of equal length at equal distances together."""
    at = 0
    while at < len(runs):
        begin, end = runs[at]
        step = runs[at + 1][0] - begin if at + 1 < len(runs) else end - begin
        count = 1
        while (
            at + count < len(runs)
            and runs[at + count] == (begin + count * step, end + count * step)
            and begin + (count + 1) * step <= elements
        ):
            count += 1
        yield _Run(begin, end - begin, count, step if count > 1 else end - begin)
        at += count


def _index(number: int) -> ir.Value:
    return scalar.scalar_constant(number, ir.IndexType.get())
