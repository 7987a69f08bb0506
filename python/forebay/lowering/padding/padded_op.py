"""The padded copy of a source, and the kernel that reads it.

alloc padded                    fill 0 ... 0
fill borders of padded               0 copy 0
copy source into the rest            0 ... 0
accel.reduce ins(padded)
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from mlir import ir
from mlir.dialects import arith, memref
from msgspec import Struct

from forebay.dialects import linalg
from forebay.dialects.accel import ReduceOp
from forebay.dialects.memref_pool import AllocOp
from forebay.ir.rows.row_shape import collapsed
from forebay.lowering.kernels.named import named
from forebay.lowering.padding.padding import SOURCE, SourcePadding


def pad_source(op: ReduceOp, padding: SourcePadding, space: ir.Attribute | None) -> None:
    """Let an op read a padded copy of its source, which is in a memory space."""
    source = op.inputs[SOURCE]
    element = ir.MemRefType(source.type).element_type
    with ir.InsertionPoint(op), op.operation.location:
        with named("padded"):
            padded = AllocOp(padding.type_of(element, space)).memref
        _fill_borders(padded, arith.ConstantOp(element, padding.value).result, padding)
        steps = [1] * len(padding.shape)
        inside = memref.subview(padded, list(padding.before), list(padding.shape), steps)
        memref.CopyOp(source, inside)
    read_padded(op, padding, padded)


def read_padded(op: ReduceOp, padding: SourcePadding, padded: ir.Value) -> None:
    """Let an op read a padded copy of its source."""
    op.operation.operands[SOURCE] = padded
    first, *others = op.maps
    map_ = ir.AffineMapAttr(first).value
    moved = [own + n for own, n in zip(map_.results, padding.before, strict=True)]
    map_ = ir.AffineMap.get(map_.n_dims, 0, moved)
    op.attributes["maps"] = ir.ArrayAttr.get([ir.AffineMapAttr.get(map_), *others])


def _fill_borders(padded: ir.Value, value: ir.Value, padding: SourcePadding) -> None:
    """Fill all that is no copy, in runs that are as long as possible."""
    type_ = ir.MemRefType(padded.type)
    flat = collapsed(padded, [padding.elements])
    for run in _repeated(_runs(padding), padding.elements):
        shown = memref.subview(flat, [run.start], [run.count * run.step], [1])
        if run.count > 1:
            layout = ir.StridedLayoutAttr.get(run.start, [run.step, 1])
            rows = ir.MemRefType.get(
                [run.count, run.step], type_.element_type, layout, type_.memory_space
            )
            shape = [run.count, run.step]
            shown = memref.ExpandShapeOp(rows, shown, [[0, 1]], [], shape).result
            shown = memref.subview(shown, [0, 0], [run.count, run.length], [1, 1])
        linalg.add_body(linalg.FillOp((), [value], [shown]))


class _Run(Struct, frozen=True):
    """Elements from `start` on, `count` times, each `step` behind the previous ones."""

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
