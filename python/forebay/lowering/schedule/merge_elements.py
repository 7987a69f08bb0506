"""Merge loops of a `linalg.generic` on buffers that pass over one run of memory in every operand.

    [y: 6, x: 6, c: 8]     out[y, x, c] = in[y, x, c] + other[y, x, c]
    [i: 288]               out[i] = in[i] + other[i]                     views of 288 elements

    [y: 6, x: 6, c: 8]     out[y, x, c] = in[y, x, c] + bias[c]
    [p: 36, c: 8]          out[p, c] = in[p, c] + bias[c]

C compilers make vectors of a long loop without a rest more often than of short nested ones.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from msgspec import Struct

from forebay.dialects import linalg
from forebay.ir.nested import ops_nested_in
from forebay.ir.rows.row_shape import collapsed


class _Operand(Struct, frozen=True):
    """Shape of an operand, and the loop that each of its axes follows; None for index 0."""

    shape: tuple[int, ...]
    dims: tuple[int | None, ...]


class _Nest(Struct, frozen=True):
    extents: tuple[int, ...]
    kinds: tuple[ir.Attribute, ...]
    operands: tuple[_Operand, ...]


def merge_elements(op: linalg.GenericOp) -> linalg.GenericOp:
    """Replace the op by one with as few loops as possible, on views; return it.

    Returns `op` itself if nothing merges. Ops with an operand that is no contiguous memref of
    static shape stay as they are, as do those whose body uses its position.
    """
    nest = _nest_of(op)
    if nest is None:
        return op
    merged = nest
    while (smaller := _merge_once(merged)) is not None:
        merged = smaller
    return op if merged is nest else _replaced(op, merged)


def _nest_of(op: linalg.GenericOp) -> _Nest | None:
    values = [*op.inputs, *op.outputs]
    if not all(map(_is_plain, values)):
        return None
    if any(isinstance(inner, linalg.IndexOp) for inner in ops_nested_in(op)):
        return None
    operands: list[_Operand] = []
    extents: dict[int, int] = {}
    for value, map_ in zip(values, op.indexing_maps, strict=True):
        shape, dims = tuple(ir.MemRefType(value.type).shape), loops_of_axes(map_)
        if dims is None:
            return None
        extents |= {dim: n for dim, n in zip(dims, shape, strict=True) if dim is not None}
        operands.append(_Operand(shape, dims))
    kinds = tuple(op.iterator_types)
    return _Nest(tuple(extents[d] for d in range(len(kinds))), kinds, tuple(operands))


def loops_of_axes(indices: ir.Attribute) -> tuple[int | None, ...] | None:
    """Return the loop that each axis of an operand follows, with None for index 0.

    `indices` is an affine map. The result is None if an index is something else.
    """
    dims: list[int | None] = []
    for result in ir.AffineMapAttr(indices).value.results:
        if isinstance(result, ir.AffineDimExpr):
            dims.append(result.position)
        elif isinstance(result, ir.AffineConstantExpr) and result.value == 0:
            dims.append(None)
        else:
            return None
    return tuple(dims)


def _is_plain(value: ir.Value) -> bool:
    if not isinstance(value.type, ir.MemRefType) or not value.type.has_static_shape:
        return False
    layout = value.type.layout
    identity = ir.AffineMap.get_identity(value.type.rank)
    return isinstance(layout, ir.AffineMapAttr) and layout.value == identity


def _merge_once(nest: _Nest) -> _Nest | None:
    """Return the nest with one pair of neighbouring loops merged, or None."""
    for dim in range(len(nest.extents) - 1):
        if nest.kinds[dim] != nest.kinds[dim + 1]:
            continue
        merged = [_merge_operand(operand, dim) for operand in nest.operands]
        found = [operand for operand in merged if operand is not None]
        if len(found) == len(merged):
            size = nest.extents[dim] * nest.extents[dim + 1]
            extents = (*nest.extents[:dim], size, *nest.extents[dim + 2 :])
            return _Nest(extents, nest.kinds[:dim] + nest.kinds[dim + 1 :], tuple(found))
    return None


def _merge_operand(operand: _Operand, dim: int) -> _Operand | None:
    """Return the operand of merged loops `dim` and `dim + 1`, or None if it has no run for them."""
    shape, dims = operand.shape, operand.dims
    axes = [axis for axis, loop in enumerate(dims) if loop in {dim, dim + 1}]
    if axes:
        first = axes[0]
        if axes != [first, first + 1] or dims[first : first + 2] != (dim, dim + 1):
            return None
        shape = (*shape[:first], shape[first] * shape[first + 1], *shape[first + 2 :])
        dims = (*dims[: first + 1], *dims[first + 2 :])
    return _Operand(shape, tuple(d if d is None or d <= dim else d - 1 for d in dims))


def _replaced(op: linalg.GenericOp, nest: _Nest) -> linalg.GenericOp:
    values, ins, rank = [*op.inputs, *op.outputs], len(op.inputs), len(nest.extents)
    with ir.InsertionPoint(op), op.operation.location:
        views = [_view(v, operand) for v, operand in zip(values, nest.operands, strict=True)]
        maps = [ir.AffineMapAttr.get(_map_of(operand.dims, rank)) for operand in nest.operands]
        merged = linalg.GenericOp(
            [], views[:ins], views[ins:], ir.ArrayAttr.get(maps), ir.ArrayAttr.get([*nest.kinds])
        )
    for name in op.operation.attributes:
        if name not in merged.operation.attributes:
            merged.operation.attributes[name] = op.operation.attributes[name]
    op.regions[0].blocks[0].append_to(merged.regions[0])
    op.operation.erase()
    return merged


def _view(value: ir.Value, operand: _Operand) -> ir.Value:
    if len(operand.shape) == ir.MemRefType(value.type).rank:
        return value
    return collapsed(value, operand.shape)


def _map_of(dims: Sequence[int | None], rank: int) -> ir.AffineMap:
    zero = ir.AffineExpr.get_constant(0)
    results = [zero if d is None else ir.AffineExpr.get_dim(d) for d in dims]
    return ir.AffineMap.get(rank, 0, results)
