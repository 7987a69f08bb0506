"""Interleave the weights of an `accel.reduce`: its channels become two dimensions.

    [p, c: 64 | k]                  weights[c, k]             of 64x40
    [p, c: 8, l: 8 | k]             weights[c, k, l]          of 8x40x8, a view of the same buffer
    [p, c: 8, l: 8 | k: 10, t: 4]   weights[c, k, l * 4 + t]  of 8x10x32, in words of 4

So the weights of neighbouring channels are neighbours, and `c * 8 + l` is the channel of all other
operands. With words, the last reduction dimension becomes two, too, of which the second one counts
the elements of a word. The buffer must have its elements in this order (`forebay.ir.interleaved`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeVar

from mlir import ir
from mlir.dialects import memref

from forebay.dialects.accel import ReduceOp
from forebay.ir.interleaved import Interleaving
from forebay.ir.memory.linear import linear_of_map
from forebay.ir.rows.row_shape import collapsed
from forebay.ir.structured.reduce_box import box_of, mapped_operands_of, static_starts_of
from forebay.lowering.blocks.blocked_op import window_bounds_of
from forebay.lowering.blocks.neighbours import neighbours_in, uses_dim
from forebay.lowering.blocks.words import is_float_sum, offset_of_words
from forebay.lowering.schedule.merge import merge_dimensions

_SOURCE, _WEIGHTS = 0, 1
_Number = TypeVar("_Number")


def channels_of(op: ReduceOp) -> int | None:
    """Return the dimension of the channels whose weights can be interleaved, or None.

    The op adds products of elements of 8 bits, or of floats. Each channel has all weights of an
    index of the first axis, in the order of the reduction, and the first operand is the same for
    all channels.
    """
    is_sum = offset_of_words(op) is not None or is_float_sum(op)
    if not is_sum or op.blocks is not None or op.accumulators:
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
    is_reduced = all(position is not None and position >= count for position in inner)
    return dim if is_own and is_whole and is_all and is_reduced else None


def interleave_channels(op: ReduceOp, order: Interleaving) -> ReduceOp | None:
    """Replace the op by one whose dimension of channels is split; return it.

    Returns None if its operands do not fit the order: the number of channels is no multiple of
    `order.channels`, or the elements of both operands along the last reduction dimension are no
    whole words. The dimensions of the op may have been merged then, which changes no result.
    """
    if order.word > 1 and not window_bounds_of(op).clamps:
        op = merge_dimensions(op)
    dim = channels_of(op)
    if dim is None or op.parallel[dim] % order.channels:
        return None
    if order.word > 1 and not _has_words(op, order.word):
        return None
    return _Split(op, dim, order).replaced()


def _has_words(op: ReduceOp, word: int) -> bool:
    """Return whether the op reads whole words along its last reduction dimension."""
    box, last = box_of(op), len(op.parallel) + len(op.reduction) - 1
    if box.cuts_reduction or not op.reduction or box.extents[last] % word:
        return False
    weights = linear_of_map(ir.AffineMapAttr(op.maps[_WEIGHTS]).value)[-1]
    is_own = weights is not None and weights.terms == {last: 1} and not weights.constant
    is_whole = ir.MemRefType(op.inputs[_WEIGHTS].type).shape[-1] == box.extents[last]
    is_clamped = bool(window_bounds_of(op).of_dim(last))
    return (
        is_own and is_whole and not is_clamped and last in neighbours_in(op, _SOURCE, op.inputs[0])
    )


class _Split:
    """The dimensions of an op after the split of one, and of the last one if there are words."""

    def __init__(self, op: ReduceOp, dim: int, order: Interleaving) -> None:
        self._op, self._dim, self._order = op, dim, order
        self._parallel = len(op.parallel)
        self._factors = {dim: order.channels}
        if order.word > 1:
            self._factors[self._parallel + len(op.reduction) - 1] = order.word

    def replaced(self) -> ReduceOp:
        """Replace the op, and return the new one."""
        op, order, box = self._op, self._order, box_of(self._op)
        values, ins = mapped_operands_of(op), len(op.inputs)
        extents = self._numbers(box.extents)
        count, has_box = self._parallel + 1, op.static_starts is not None
        starts = [
            n for d, start in enumerate(box.starts) for n in self._split(d, start, (start, 0))
        ]
        with ir.InsertionPoint(op), op.operation.location:
            values[_WEIGHTS] = _interleaved_view(values[_WEIGHTS], order)
            maps = [self._map(ir.AffineMapAttr(map_).value) for map_ in op.maps]
            maps[_WEIGHTS] = self._of_weights(maps[_WEIGHTS])
            result = ReduceOp(
                [],
                values[:ins],
                values[ins:-1],
                list(box.dynamic),
                values[-1],
                [],
                extents[:count],
                extents[count:],
                ir.ArrayAttr.get([ir.AffineMapAttr.get(map_) for map_ in maps]),
                static_starts=static_starts_of(starts) if has_box else None,
                sizes=self._numbers(box.sizes) if has_box else None,
            )
        for source, target in zip(op.operation.regions, result.operation.regions, strict=True):
            source.blocks[0].append_to(target)
        op.operation.erase()
        return result

    def _numbers(self, numbers: Sequence[int]) -> list[int]:
        """Return extents or sizes, of which those of the split dimensions are whole."""
        found: list[int] = []
        for dim, number in enumerate(numbers):
            factor = self._factors.get(dim, 1)
            found += self._split(dim, number, (number // factor, factor))
        return found

    def _split(self, dim: int, own: _Number, parts: tuple[_Number, ...]) -> tuple[_Number, ...]:
        """Return the parts of a number of a dimension that is split, else the number."""
        return parts if dim in self._factors else (own,)

    def _map(self, map_: ir.AffineMap) -> ir.AffineMap:
        """Return the map on the dimensions after the split."""
        dims: list[ir.AffineExpr] = []
        behind = 0
        for dim in range(map_.n_dims):
            factor = self._factors.get(dim, 1)
            expression = ir.AffineDimExpr.get(behind)
            if factor > 1:
                expression = expression * factor + ir.AffineDimExpr.get(behind + 1)
            dims.append(expression)
            behind += 1 + (factor > 1)
        by = ir.AffineMap.get(behind, 0, dims)
        return ir.AffineMap.get(behind, 0, [result.compose(by) for result in map_.results])

    def _of_weights(self, map_: ir.AffineMap) -> ir.AffineMap:
        """Return the map of the weights in the order of the memory, from the one of channels."""
        word, channels = self._order.word, self._order.channels
        block, lane = ir.AffineDimExpr.get(self._dim), ir.AffineDimExpr.get(self._dim + 1)
        first, *others = map_.results
        assert first == block * channels + lane, "the first axis is that of the channels"
        if word > 1:
            step, element = (ir.AffineDimExpr.get(map_.n_dims - n) for n in (2, 1))
            assert others[-1] == step * word + element, "the last axis is that of the words"
            others, lane = [*others[:-1], step], lane * word + element
        return ir.AffineMap.get(map_.n_dims, 0, [block, *others, lane])


def _interleaved_view(weights: ir.Value, order: Interleaving) -> ir.Value:
    """Return the view [O / channels][R / word][channels * word] of a buffer of shape [O][R].

    There may be several axes before the last one of R.
    """
    type_ = ir.MemRefType(weights.type)
    first, *rest = type_.shape
    rest[-1] //= order.word
    shape = [first // order.channels, *rest, order.channels * order.word]
    flat = collapsed(weights, [math.prod(shape)])
    found = ir.MemRefType.get(shape, type_.element_type, memory_space=type_.memory_space)
    return memref.ExpandShapeOp(found, flat, [list(range(len(shape)))], [], shape).result
