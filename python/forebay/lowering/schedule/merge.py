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
from mlir.dialects import memref
from msgspec import Struct

from forebay.dialects.accel import ReduceOp
from forebay.ir.structured.affine_expression import affine_of
from forebay.ir.structured.reduce_box import mapped_operands_of
from forebay.regions import Affine

_Index = tuple[Affine, ...]


class _Operand(Struct, frozen=True):
    """Shape and index of an operand, and how many axes of its value make each axis."""

    shape: tuple[int, ...]
    index: _Index
    axes: tuple[int, ...]


class _Nest(Struct, frozen=True):
    parallel: tuple[int, ...]
    reduction: tuple[int, ...]
    operands: tuple[_Operand, ...]


def merge_dimensions(op: ReduceOp) -> ReduceOp:
    """Replace the op by one with as few dimensions as possible, on views; return it.

    Returns `op` itself if nothing merges. Operands with strides, and boxes, stay as they are.
    """
    if op.static_starts is not None or not all(map(_is_plain, mapped_operands_of(op))):
        return op
    nest = _nest_of(op)
    merged = _without_last_units(nest)
    while (smaller := _merge_once(merged)) is not None:
        merged = smaller
    return op if merged is nest else _replaced(op, merged)


def _is_plain(value: ir.Value) -> bool:
    layout = ir.MemRefType(value.type).layout
    return isinstance(layout, ir.AffineMapAttr) and layout.value == ir.AffineMap.get_identity(
        ir.MemRefType(value.type).rank
    )


def _nest_of(op: ReduceOp) -> _Nest:
    operands: list[_Operand] = []
    for value, map_ in zip(mapped_operands_of(op), op.maps, strict=True):
        index = tuple(affine_of(result) for result in ir.AffineMapAttr(map_).value.results)
        shape = tuple(ir.MemRefType(value.type).shape)
        operands.append(_Operand(shape, index, (1,) * len(shape)))
    return _Nest(tuple(op.parallel), tuple(op.reduction), tuple(operands))


def _without_last_units(nest: _Nest) -> _Nest:
    """Return the nest without axes of size 1 at the end of operands, itself if there are none."""
    operands = tuple(map(_without_last_unit, nest.operands))
    while operands != nest.operands:
        nest = _Nest(nest.parallel, nest.reduction, operands)
        operands = tuple(map(_without_last_unit, operands))
    return nest


def _without_last_unit(operand: _Operand) -> _Operand:
    shape, index, axes = operand.shape, operand.index, operand.axes
    if len(shape) < 2 or shape[-1] != 1 or index[-1] != Affine(0):
        return operand
    return _Operand(shape[:-1], index[:-1], (*axes[:-2], axes[-2] + axes[-1]))


def _merge_once(nest: _Nest) -> _Nest | None:
    """Return the nest with one pair of neighbouring dimensions merged, or None."""
    parallel, extents = len(nest.parallel), (*nest.parallel, *nest.reduction)
    for dim in range(len(extents) - 1):
        if dim + 1 == parallel:
            continue
        merged = [_merge_operand(operand, dim, extents[dim + 1]) for operand in nest.operands]
        found = [operand for operand in merged if operand is not None]
        if len(found) == len(merged):
            sizes = [*extents[:dim], extents[dim] * extents[dim + 1], *extents[dim + 2 :]]
            split = parallel - (dim < parallel)
            return _Nest(tuple(sizes[:split]), tuple(sizes[split:]), tuple(found))
    return None


def _merge_operand(operand: _Operand, dim: int, inner: int) -> _Operand | None:
    """Return the operand by merged dimensions `dim` and `dim + 1`, of extent `inner`, or None."""
    used = frozenset[int]().union(*(expression.dimensions for expression in operand.index))
    if not used & {dim, dim + 1}:
        return _Operand(operand.shape, _renumbered(operand.index, dim), operand.axes)
    for axis, (outer, fine) in enumerate(zip(operand.index, operand.index[1:], strict=False)):
        others = [e for n, e in enumerate(operand.index) if n not in {axis, axis + 1}]
        is_run = fine == Affine.dimension(dim + 1) and operand.shape[axis + 1] == inner
        is_alone = not any(e.dimensions & {dim, dim + 1} for e in others)
        step = dict(outer.terms).get(dim, 0)
        if is_run and is_alone and step == 1 and dim + 1 not in outer.dimensions:
            rest = outer - Affine.dimension(dim)
            (own,) = _renumbered((rest * inner,), dim)
            index = _renumbered(operand.index, dim)
            shape, axes = operand.shape, operand.axes
            return _Operand(
                (*shape[:axis], shape[axis] * inner, *shape[axis + 2 :]),
                (*index[:axis], own + Affine.dimension(dim), *index[axis + 2 :]),
                (*axes[:axis], axes[axis] + axes[axis + 1], *axes[axis + 2 :]),
            )
    return None


def _renumbered(index: Sequence[Affine], dim: int) -> _Index:
    """Return expressions without the dimension `dim + 1`; the ones behind it move up."""
    moved = {
        d: Affine.dimension(d - 1) for expression in index for d in expression.dimensions if d > dim
    }
    return tuple(expression.substitute(moved) for expression in index)


def _replaced(op: ReduceOp, nest: _Nest) -> ReduceOp:
    ranks = (len(nest.parallel) + len(nest.reduction), len(nest.parallel))
    values = mapped_operands_of(op)
    with ir.InsertionPoint(op), op.operation.location:
        views = [_view(v, operand) for v, operand in zip(values, nest.operands, strict=True)]
        maps = [
            ir.AffineMapAttr.get(_map_of(operand.index, ranks[number >= len(op.inputs)]))
            for number, operand in enumerate(nest.operands)
        ]
        ins = len(op.inputs)
        merged = ReduceOp(
            [],
            views[:ins],
            views[ins:-1],
            [],
            views[-1],
            [],
            list(nest.parallel),
            list(nest.reduction),
            ir.ArrayAttr.get(maps),
        )
    for name in op.operation.attributes:
        if name not in merged.operation.attributes:
            merged.operation.attributes[name] = op.operation.attributes[name]
    for source, target in zip(op.operation.regions, merged.operation.regions, strict=True):
        source.blocks[0].append_to(target)
    op.operation.erase()
    return merged


def _view(value: ir.Value, operand: _Operand) -> ir.Value:
    type_ = ir.MemRefType(value.type)
    if len(operand.shape) == type_.rank:
        return value
    groups: list[list[int]] = []
    for count in operand.axes:
        begin = sum(map(len, groups))
        groups.append(list(range(begin, begin + count)))
    result = ir.MemRefType.get(
        list(operand.shape), type_.element_type, memory_space=type_.memory_space
    )
    return memref.CollapseShapeOp(result, value, groups).result


def _map_of(index: _Index, rank: int) -> ir.AffineMap:
    return ir.AffineMap.get(rank, 0, [_expression(e) for e in index])


def _expression(affine: Affine) -> ir.AffineExpr:
    result = ir.AffineExpr.get_constant(affine.constant)
    for dim, factor in affine.terms:
        result = ir.AffineExpr.get_add(result, ir.AffineExpr.get_dim(dim) * factor)
    return result
