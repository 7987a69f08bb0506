"""Merge dimensions of an `accel.reduce` on buffers that are one run of memory in every operand.

    [y: 6, x: 6, c | k]        source[y, x, k]         of 1x6x6x128
    [p: 36, c | k]             source[p, k]            of 1x36x128, a view

    [y, x, c | ky, kx: 3, k: 16]    source[2 * y + ky, 2 * x + kx, k]     of 1x32x32x16
    [y, x, c | ky, r: 48]           source[2 * y + ky, 32 * x + r]        of 1x32x512, a view

Axes of size 1 at the end of an operand are merged, too, so its last axis is a run of memory.

A window that is clamped along an axis is clamped in the same way along the merged axis, since the
merged index is inside exactly if both indices were.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from msgspec import Struct, structs

from forebay.dialects.accel import ReduceOp
from forebay.ir.rows.layout import is_rows, rows_of
from forebay.ir.rows.row_shape import collapsed, with_row_shape
from forebay.ir.structured.affine_expression import affine_of
from forebay.ir.structured.reduce_box import (
    ReduceBox,
    box_of,
    mapped_operands_of,
    static_starts_of,
)
from forebay.ir.views.layouts import is_contiguous
from forebay.regions import Affine

_Index = tuple[Affine, ...]


class _Operand(Struct, frozen=True):
    """Shape and index of an operand, and how many axes of its value make each axis.

    The first `rows` axes select a row that has a place of its own. They do not merge.
    """

    shape: tuple[int, ...]
    index: _Index
    axes: tuple[int, ...]
    rows: int


class _Nest(Struct, frozen=True):
    box: ReduceBox
    operands: tuple[_Operand, ...]
    is_box: bool


def merge_dimensions(op: ReduceOp) -> ReduceOp:
    """Replace the op by one with as few dimensions as possible, on views; return it.

    Returns `op` itself if nothing merges. Operands with gaps, and ops with accumulators in
    memory, stay as they are. Dimensions of a box merge if it contains all of both.
    """
    if op.accumulators or not all(map(_is_plain, mapped_operands_of(op))):
        return op
    nest = _nest_of(op)
    merged = _without_last_units(nest)
    while (smaller := _merge_once(merged)) is not None:
        merged = smaller
    return op if merged is nest else _replaced(op, merged)


def _is_plain(value: ir.Value) -> bool:
    return is_rows(value.type) or is_contiguous(ir.MemRefType(value.type))


def _nest_of(op: ReduceOp) -> _Nest:
    operands: list[_Operand] = []
    for value, map_ in zip(mapped_operands_of(op), op.maps, strict=True):
        index = tuple(affine_of(result) for result in ir.AffineMapAttr(map_).value.results)
        shape = tuple(ir.MemRefType(value.type).shape)
        rows = rows_of(value.type)
        first = 0 if rows is None else rows.dims
        operands.append(_Operand(shape, index, (1,) * len(shape), first))
    return _Nest(box_of(op), tuple(operands), op.static_starts is not None)


def _without_last_units(nest: _Nest) -> _Nest:
    """Return the nest without axes of size 1 at the end of operands, itself if there are none."""
    operands = tuple(map(_without_last_unit, nest.operands))
    while operands != nest.operands:
        nest = structs.replace(nest, operands=operands)
        operands = tuple(map(_without_last_unit, operands))
    return nest


def _without_last_unit(operand: _Operand) -> _Operand:
    shape, index, axes = operand.shape, operand.index, operand.axes
    if len(shape) < operand.rows + 2 or shape[-1] != 1 or index[-1] != Affine(0):
        return operand
    return _Operand(shape[:-1], index[:-1], (*axes[:-2], axes[-2] + axes[-1]), operand.rows)


def _merge_once(nest: _Nest) -> _Nest | None:
    """Return the nest with one pair of neighbouring dimensions merged, or None."""
    box = nest.box
    for dim in range(len(box.extents) - 1):
        if dim + 1 == box.parallel or not (_is_whole(box, dim) and _is_whole(box, dim + 1)):
            continue
        inner = box.extents[dim + 1]
        # The bounds of a window along merged positions are quotients. In a box they would have to
        # show that no other row is read, which the plan check cannot derive from a quotient.
        has_windows = dim >= box.parallel or not nest.is_box
        operands = _merge_operands(nest.operands, dim, inner, has_windows=has_windows)
        if operands is not None:
            return structs.replace(nest, box=_merged_box(box, dim), operands=operands)
    return None


def _is_whole(box: ReduceBox, dim: int) -> bool:
    start = box.starts[dim]
    return isinstance(start, int) and start == 0 and box.sizes[dim] == box.extents[dim]


def _merged_box(box: ReduceBox, dim: int) -> ReduceBox:
    """Return the box with one dimension for `dim` and `dim + 1`, which it contains all of."""
    size = box.extents[dim] * box.extents[dim + 1]
    return ReduceBox(
        box.parallel - (dim < box.parallel),
        (*box.extents[:dim], size, *box.extents[dim + 2 :]),
        (*box.starts[:dim], 0, *box.starts[dim + 2 :]),
        (*box.sizes[:dim], size, *box.sizes[dim + 2 :]),
    )


def _merge_operands(
    operands: Sequence[_Operand], dim: int, inner: int, *, has_windows: bool
) -> tuple[_Operand, ...] | None:
    """Return the operands as by `_merge_operand`, or None if it returns None for one of them."""
    found: list[_Operand] = []
    for operand in operands:
        merged = _merge_operand(operand, dim, inner, has_windows=has_windows)
        if merged is None:
            return None
        found.append(merged)
    return tuple(found)


def _merge_operand(
    operand: _Operand, dim: int, inner: int, *, has_windows: bool
) -> _Operand | None:
    """Return the operand by merged dimensions `dim` and `dim + 1`, of extent `inner`, or None.

    Without `has_windows` no other dimension may move the merged ones.
    """
    used = frozenset[int]().union(*(expression.dimensions for expression in operand.index))
    if not used & {dim, dim + 1}:
        return structs.replace(operand, index=_renumbered(operand.index, dim))
    for axis, (outer, fine) in enumerate(zip(operand.index, operand.index[1:], strict=False)):
        others = [e for n, e in enumerate(operand.index) if n not in {axis, axis + 1}]
        is_run = fine == Affine.dimension(dim + 1) and operand.shape[axis + 1] == inner
        is_alone = not any(e.dimensions & {dim, dim + 1} for e in others)
        step = dict(outer.terms).get(dim, 0)
        is_in_row = axis >= operand.rows
        if is_in_row and is_run and is_alone and step == 1 and dim + 1 not in outer.dimensions:
            rest = outer - Affine.dimension(dim)
            if rest.dimensions and not has_windows:
                return None
            (own,) = _renumbered((rest * inner,), dim)
            index = _renumbered(operand.index, dim)
            shape, axes = operand.shape, operand.axes
            return _Operand(
                (*shape[:axis], shape[axis] * inner, *shape[axis + 2 :]),
                (*index[:axis], own + Affine.dimension(dim), *index[axis + 2 :]),
                (*axes[:axis], axes[axis] + axes[axis + 1], *axes[axis + 2 :]),
                operand.rows,
            )
    return None


def _renumbered(index: Sequence[Affine], dim: int) -> _Index:
    """Return expressions without the dimension `dim + 1`; the ones after it move up."""
    moved = {
        d: Affine.dimension(d - 1) for expression in index for d in expression.dimensions if d > dim
    }
    return tuple(expression.substitute(moved) for expression in index)


def _replaced(op: ReduceOp, nest: _Nest) -> ReduceOp:
    box, values, ins = nest.box, mapped_operands_of(op), len(op.inputs)
    ranks = (len(box.extents), box.parallel)
    is_box = op.static_starts is not None
    with ir.InsertionPoint(op), op.operation.location:
        views = [_view(v, operand) for v, operand in zip(values, nest.operands, strict=True)]
        maps = [
            ir.AffineMapAttr.get(_map_of(operand.index, ranks[number >= ins]))
            for number, operand in enumerate(nest.operands)
        ]
        merged = ReduceOp(
            [],
            views[:ins],
            views[ins:-1],
            list(box.dynamic),
            views[-1],
            [],
            list(box.extents[: box.parallel]),
            list(box.extents[box.parallel :]),
            ir.ArrayAttr.get(maps),
            static_starts=static_starts_of(box.starts) if is_box else None,
            sizes=list(box.sizes) if is_box else None,
        )
    for name in op.operation.attributes:
        if name not in merged.operation.attributes:
            merged.operation.attributes[name] = op.operation.attributes[name]
    for source, target in zip(op.operation.regions, merged.operation.regions, strict=True):
        source.blocks[0].append_to(target)
    op.operation.erase()
    return merged


def _view(value: ir.Value, operand: _Operand) -> ir.Value:
    if len(operand.shape) == ir.MemRefType(value.type).rank:
        return value
    if operand.rows:
        return with_row_shape(value, operand.shape[operand.rows :])
    return collapsed(value, operand.shape)


def _map_of(index: _Index, rank: int) -> ir.AffineMap:
    return ir.AffineMap.get(rank, 0, [_expression(e) for e in index])


def _expression(affine: Affine) -> ir.AffineExpr:
    result = ir.AffineExpr.get_constant(affine.constant)
    for dim, factor in affine.terms:
        result = ir.AffineExpr.get_add(result, ir.AffineExpr.get_dim(dim) * factor)
    return result
