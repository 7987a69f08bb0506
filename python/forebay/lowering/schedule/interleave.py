"""Interleave the weights of an `accel.reduce`: its channels become two dimensions.

    [p, c: 64 | k]          weights[c, k]              of 64x40
    [p, c: 8, l: 8 | k]     weights[c, k, l]           of 8x40x8, a view of the same buffer

So the weights of neighbouring channels are neighbours, and `c * 8 + l` is the channel of all other
operands. The buffer must have its elements in this order (`forebay.ir.interleaved`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeVar

from mlir import ir
from mlir.dialects import memref

from forebay.dialects.accel import ReduceOp
from forebay.ir.memory.linear import linear_of_map
from forebay.ir.rows.row_shape import collapsed
from forebay.ir.structured.reduce_box import box_of, mapped_operands_of, static_starts_of
from forebay.lowering.blocks.neighbours import uses_dim
from forebay.lowering.blocks.words import offset_of_words

_SOURCE, _WEIGHTS = 0, 1
_Number = TypeVar("_Number")


def channels_of(op: ReduceOp) -> int | None:
    """Return the dimension of the channels whose weights can be interleaved, or None.

    The op adds products of elements of 8 bits. Each channel has all weights of an index of the
    first axis, in the order of the reduction, and the first operand is the same for all channels.
    """
    if offset_of_words(op) is None or op.blocks is not None or op.accumulators:
        return None
    first, *others = linear_of_map(ir.AffineMapAttr(op.maps[_WEIGHTS]).value)
    count, box = len(op.parallel), box_of(op)
    if first is None or first.constant or len(first.terms) != 1 or not others:
        return None
    ((dim, factor),) = first.terms.items()
    is_own = factor == 1 and dim < count and not uses_dim(op, _SOURCE, dim)
    is_whole = box.starts[dim] == 0 and box.sizes[dim] == box.extents[dim]
    is_all = ir.MemRefType(op.inputs[_WEIGHTS].type).shape[0] == box.extents[dim]
    inner = [None if form is None else min(form.terms, default=count) for form in others]
    is_reduced = all(own is not None and own >= count for own in inner)
    return dim if is_own and is_whole and is_all and is_reduced else None


def interleave_channels(op: ReduceOp, dim: int, channels: int) -> ReduceOp:
    """Replace the op by one whose dimension of channels is split; return it.

    The number of channels is a multiple of `channels`.
    """
    box, values, ins = box_of(op), mapped_operands_of(op), len(op.inputs)
    extents = _split(box.extents, dim, box.extents[dim] // channels, channels)
    sizes = _split(box.sizes, dim, box.sizes[dim] // channels, channels)
    starts = _split(box.starts, dim, box.starts[dim], 0)
    count, has_box = len(op.parallel) + 1, op.static_starts is not None
    with ir.InsertionPoint(op), op.operation.location:
        values[_WEIGHTS] = _interleaved_view(values[_WEIGHTS], channels)
        maps = [_split_map(ir.AffineMapAttr(own).value, dim, channels) for own in op.maps]
        first, *others = maps[_WEIGHTS].results
        block, lane = ir.AffineDimExpr.get(dim), ir.AffineDimExpr.get(dim + 1)
        assert first == block * channels + lane, "the first axis is that of the channels"
        maps[_WEIGHTS] = ir.AffineMap.get(len(extents), 0, [block, *others, lane])
        result = ReduceOp(
            [],
            values[:ins],
            values[ins:-1],
            list(box.dynamic),
            values[-1],
            [],
            extents[:count],
            extents[count:],
            ir.ArrayAttr.get([ir.AffineMapAttr.get(own) for own in maps]),
            static_starts=static_starts_of(starts) if has_box else None,
            sizes=sizes if has_box else None,
        )
    for source, target in zip(op.operation.regions, result.operation.regions, strict=True):
        source.blocks[0].append_to(target)
    op.operation.erase()
    return result


def _split(numbers: Sequence[_Number], dim: int, *parts: _Number) -> list[_Number]:
    return [*numbers[:dim], *parts, *numbers[dim + 1 :]]


def _split_map(map_: ir.AffineMap, dim: int, channels: int) -> ir.AffineMap:
    """Return the map on the dimensions behind the split."""
    before = [ir.AffineDimExpr.get(d) for d in range(dim)]
    channel = ir.AffineDimExpr.get(dim) * channels + ir.AffineDimExpr.get(dim + 1)
    behind = [ir.AffineDimExpr.get(d + 1) for d in range(dim + 1, map_.n_dims)]
    dims = [*before, channel, *behind]
    by = ir.AffineMap.get(map_.n_dims + 1, 0, dims)
    return ir.AffineMap.get(map_.n_dims + 1, 0, [own.compose(by) for own in map_.results])


def _interleaved_view(weights: ir.Value, channels: int) -> ir.Value:
    """Return the view [O / channels][rest][channels] of a buffer of shape [O][rest]."""
    type_ = ir.MemRefType(weights.type)
    first, *rest = type_.shape
    shape = [first // channels, *rest, channels]
    flat = collapsed(weights, [math.prod(shape)])
    found = ir.MemRefType.get(shape, type_.element_type, memory_space=type_.memory_space)
    return memref.ExpandShapeOp(found, flat, [list(range(len(shape)))], [], shape).result
