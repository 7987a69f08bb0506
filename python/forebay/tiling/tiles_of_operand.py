"""The tiles of one operand: how large the largest one is, and what all of them have together.

Axes of an operand that share no dimension of the domain are independent: the sum over all tiles of
the product of their sizes is the product of the sums. So no tile is enumerated, only the ranges of
each axis. Answers for an axis are kept, because a search asks for the same few sizes of a dimension
in many combinations.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache

from forebay.regions import Affine, Box, OperandAccess, PointSet, Span, cuts
from forebay.tiling.problem import TileStorage

_Sizes = tuple[int, ...]
_Key = int | _Sizes


def _selection(dimensions: Sequence[int]) -> Callable[[Sequence[int]], _Key]:
    """Return what selects the sizes of some dimensions, as a key of a table."""
    return operator.itemgetter(*dimensions) if dimensions else lambda _: ()


class OperandTiles:
    """The tiles of an operand for any tile sizes of the domain."""

    def __init__(self, access: OperandAccess, storage: TileStorage, extents: _Sizes) -> None:
        self.storage = storage
        self._access = access
        self._extents = extents
        self._axes = [tuple(sorted(e.dimensions)) for e in access.index]
        self._groups = [_AxisGroup(access, axes, extents) for axes in _groups(access.index)]
        self.dimensions = frozenset[int]().union(*self._axes)
        self._key = _selection(sorted(self.dimensions))
        self._positions: dict[tuple[int, _Sizes], int] = {}
        self._tile_bytes: dict[_Key, int] = {}
        self._moved_cost: dict[_Key, int] = {}
        self._least_bytes: dict[_Key, int] = {}
        self._least_moved: dict[_Key, int] = {}

    def tile_bytes(self, sizes: Sequence[int]) -> int:
        """Return the bytes that hold a tile wherever it is; they never shrink as sizes grow."""
        key = self._key(sizes)
        known = self._tile_bytes.get(key)
        if known is None:
            known = self._tile_bytes[key] = self._largest(sizes)
        return known

    def _largest(self, sizes: Sequence[int]) -> int:
        positions = tuple(self._along(axis, sizes) for axis in range(len(self._axes)))
        return self.storage.bytes(positions, self._access.bits)

    def _along(self, axis: int, sizes: Sequence[int]) -> int:
        """Return the largest size of a tile along an axis."""
        axis_sizes = tuple(sizes[d] for d in self._axes[axis])
        key = (axis, axis_sizes)
        if key not in self._positions:
            ranges = tuple((d, self._extents[d], sizes[d]) for d in self._axes[axis])
            found = _positions(self._access.index[axis], ranges)
            limit = found if self.storage.with_padding else self._access.shape[axis]
            self._positions[key] = min(found, limit)
        return self._positions[key]

    def tile_cost(self, sizes: Sequence[int]) -> int:
        """Return the bytes that the transfer of a tile takes the time of."""
        return self._with_whole_runs(self.tile_bytes(sizes), (self._innermost(sizes),))

    def moved_cost(self, sizes: Sequence[int]) -> int:
        """Return the bytes that the transfers of all tiles, each once, take the time of."""
        key = self._key(sizes)
        known = self._moved_cost.get(key)
        if known is None:
            known = self._moved_cost[key] = self._cost_of_moving(sizes)
        return known

    def _cost_of_moving(self, sizes: Sequence[int]) -> int:
        moved = self.moved_bytes(sizes)
        if not self._has_runs:
            return moved
        size, extent = self._innermost(sizes), self._innermost(self._extents)
        along = (*[size] * (extent // size), *([extent % size] if extent % size else []))
        return self._with_whole_runs(moved, along)

    @property
    def _has_runs(self) -> bool:
        """Return whether the transfer requests runs of several bytes."""
        transfer = self.storage.transfer
        return transfer is not None and transfer.run_bytes > 1

    def _innermost(self, sizes: Sequence[int]) -> int:
        return self._along(len(self._axes) - 1, sizes) if self._axes else 1

    def _with_whole_runs(self, size: int, along: Sequence[int]) -> int:
        """Return bytes with each of some sizes along the innermost axis rounded up to a run."""
        transfer = self.storage.transfer
        if transfer is None or transfer.run_bytes == 1:
            return size
        run = transfer.run_bytes * 8
        rounded = sum(-(-each * self._access.bits // run) * run for each in along)
        return -(-size * rounded // (sum(along) * self._access.bits))

    def slot_bytes(self, sizes: Sequence[int]) -> int:
        """Return the bytes of all slots for tiles."""
        return self.tile_bytes(sizes) * self.storage.slots

    def least_bytes(self, sizes: Sequence[int]) -> int:
        """Return the bytes of all slots, or of the whole operand if it may stay and is smaller."""
        key = self._key(sizes)
        known = self._least_bytes.get(key)
        if known is None:
            own = self.slot_bytes(sizes)
            known = min(own, self.whole_bytes) if self.storage.may_stay else own
            self._least_bytes[key] = known
        return known

    def least_moved(self, sizes: Sequence[int]) -> int:
        """Return the least of `moved_cost` and, if the operand may stay, of the whole operand's.

        It is 0 without a transfer.
        """
        key = self._key(sizes)
        known = self._least_moved.get(key)
        if known is None:
            own = 0 if self.storage.transfer is None else self.moved_cost(sizes)
            known = min(own, self.whole_moved_cost) if self.storage.may_stay and own else own
            self._least_moved[key] = known
        return known

    @cached_property
    def whole_bytes(self) -> int:
        """The bytes of the operand as one tile."""
        return self.tile_bytes(self._extents)

    @cached_property
    def whole_moved_cost(self) -> int:
        """The bytes that the transfer of the operand as one tile takes the time of."""
        return self.moved_cost(self._extents)

    def moved_bytes(self, sizes: Sequence[int]) -> int:
        """Return the bytes of all tiles inside of the operand, each tile once."""
        elements = math.prod([group.elements(sizes) for group in self._groups])
        return -(-elements * self._access.bits // 8)


class _AxisGroup:
    """Axes of an operand that share dimensions, directly or through others."""

    def __init__(self, access: OperandAccess, axes: tuple[int, ...], extents: _Sizes) -> None:
        index = tuple(access.index[axis] for axis in axes)
        self._used = sorted(frozenset[int]().union(*(e.dimensions for e in index)))
        renumbered = {d: Affine.dimension(number) for number, d in enumerate(self._used)}
        self._index = tuple(e.substitute(renumbered) for e in index)
        self._shape = tuple(access.shape[axis] for axis in axes)
        self._extents = tuple(extents[d] for d in self._used)
        self._key = _selection(self._used)
        self._elements: dict[_Key, int] = {}

    def elements(self, sizes: Sequence[int]) -> int:
        """Return the elements along these axes of all tiles together."""
        key = self._key(sizes)
        known = self._elements.get(key)
        if known is None:
            own = tuple([sizes[d] for d in self._used])
            known = self._elements[key] = _elements(self._index, self._shape, self._extents, own)
        return known


@lru_cache(maxsize=1 << 14)
def _elements(index: tuple[Affine, ...], shape: _Sizes, extents: _Sizes, sizes: _Sizes) -> int:
    if len(index) == 1 and index[0].is_linear and [abs(f) for _, f in index[0].terms] == [1]:
        # Consecutive tiles have consecutive positions: together those of the whole dimension.
        return _inside(index[0], shape[0], tuple(Span(0, extent) for extent in extents))
    total = 0
    spans = [list(cuts(Span(0, e), s)) for e, s in zip(extents, sizes, strict=True)]
    if all(expression.is_linear for expression in index):
        return sum(
            math.prod(_inside(e, size, tile) for e, size in zip(index, shape, strict=True))
            for tile in itertools.product(*spans)
        )
    for tile in itertools.product(*spans):
        points = PointSet(Box(tile))
        windows = (points.values(expression) for expression in index)
        total += math.prod(
            w.intersect(Span(0, size)).size for w, size in zip(windows, shape, strict=True)
        )
    return total


def _inside(index: Affine, size: int, tile: tuple[Span, ...]) -> int:
    """Return the positions in `[0, size)` from the least to the greatest of a linear index."""
    low = high = index.constant
    for dimension, factor in index.terms:
        span = tile[dimension]
        first, last = factor * span.start, factor * (span.stop - 1)
        low += min(first, last)
        high += max(first, last)
    return max(0, min(high + 1, size) - max(low, 0))


@lru_cache(maxsize=1 << 14)
def _positions(index: Affine, ranges: tuple[tuple[int, int, int], ...]) -> int:
    """Return the most positions that an index takes over a box of these sizes, anywhere.

    `ranges` are dimensions with extent and size. Without quotients each place gives the same;
    with them, the places of one period give all.
    """
    dimensions = max((d for d, _, _ in ranges), default=-1) + 1
    starts = [range(min(e - s + 1, index.period(d))) for d, e, s in ranges]
    largest = 0
    for places in itertools.product(*starts):
        spans = [Span(0, 1)] * dimensions
        for (d, _, size), start in zip(ranges, places, strict=True):
            spans[d] = Span(start, start + size)
        largest = max(largest, PointSet(Box(tuple(spans))).values(index).size)
    return largest


def _groups(index: tuple[Affine, ...]) -> list[tuple[int, ...]]:
    """Return the axes in groups that share dimensions, directly or through others."""
    groups: list[tuple[frozenset[int], tuple[int, ...]]] = []
    for axis, expression in enumerate(index):
        dims, axes = expression.dimensions, (axis,)
        for group in [g for g in groups if g[0] & dims]:
            groups.remove(group)
            dims, axes = dims | group[0], (*group[1], *axes)
        groups.append((dims, axes))
    return [axes for _, axes in groups]
