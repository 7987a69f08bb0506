"""The tiles of one operand: how large the largest one is, and what all of them have together.

Axes of an operand that share no dimension of the domain are independent: the sum over all tiles of
the product of their sizes is the product of the sums. So no tile is enumerated, only the ranges of
each axis.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import lru_cache

from forebay.regions import Affine, Box, OperandAccess, PointSet, Span, cuts
from forebay.tiling.problem import TileStorage


class OperandTiles:
    """The tiles of an operand for any tile sizes of the domain."""

    def __init__(
        self, access: OperandAccess, storage: TileStorage, extents: tuple[int, ...]
    ) -> None:
        self.storage = storage
        self.dimensions = frozenset[int]().union(*(e.dimensions for e in access.index))
        self._access = access
        self._extents = extents
        self._groups = _groups(access.index)
        self._own = sorted(self.dimensions)
        self._tile_bytes: dict[tuple[int, ...], int] = {}
        self._moved_bytes: dict[tuple[int, ...], int] = {}

    def tile_bytes(self, sizes: Sequence[int]) -> int:
        """Return the bytes that hold a tile wherever it is; they never shrink as sizes grow."""
        key = tuple(sizes[d] for d in self._own)
        if key not in self._tile_bytes:
            self._tile_bytes[key] = self._largest(sizes)
        return self._tile_bytes[key]

    def _largest(self, sizes: Sequence[int]) -> int:
        positions = [
            _positions(index, tuple((d, self._extents[d], sizes[d]) for d in index.dimensions))
            for index in self._access.index
        ]
        if not self.storage.with_padding:
            positions = [min(p, n) for p, n in zip(positions, self._access.shape, strict=True)]
        return self.storage.bytes(tuple(positions), self._access.bits)

    def slot_bytes(self, sizes: Sequence[int]) -> int:
        """Return the bytes of all slots for tiles."""
        return self.tile_bytes(sizes) * self.storage.slots

    @property
    def whole_bytes(self) -> int:
        """The bytes of the operand as one tile."""
        return self.tile_bytes(self._extents)

    def moved_bytes(self, sizes: Sequence[int]) -> int:
        """Return the bytes of all tiles inside of the operand, each tile once."""
        key = tuple(sizes[d] for d in self._own)
        if key not in self._moved_bytes:
            self._moved_bytes[key] = self._all_inside(sizes)
        return self._moved_bytes[key]

    def _all_inside(self, sizes: Sequence[int]) -> int:
        elements = 1
        for axes in self._groups:
            elements *= sum(map(math.prod, self._tiles(axes, sizes)))
        return -(-elements * self._access.bits // 8)

    def _tiles(self, axes: tuple[int, ...], sizes: Sequence[int]) -> tuple[tuple[int, ...], ...]:
        """Return the size of each axis of a group inside of the operand, for each of its tiles."""
        index = tuple(self._access.index[axis] for axis in axes)
        used = sorted(frozenset[int]().union(*(e.dimensions for e in index)))
        renumbered = {d: Affine.dimension(number) for number, d in enumerate(used)}
        return _sizes_inside(
            tuple(e.substitute(renumbered) for e in index),
            tuple(self._access.shape[axis] for axis in axes),
            tuple(self._extents[d] for d in used),
            tuple(sizes[d] for d in used),
        )


@lru_cache(maxsize=1 << 14)
def _sizes_inside(
    index: tuple[Affine, ...],
    shape: tuple[int, ...],
    extents: tuple[int, ...],
    sizes: tuple[int, ...],
) -> tuple[tuple[int, ...], ...]:
    found: list[tuple[int, ...]] = []
    spans = [cuts(Span(0, e), s) for e, s in zip(extents, sizes, strict=True)]
    for tile in itertools.product(*spans):
        points = PointSet(Box(tile))
        windows = (points.values(expression) for expression in index)
        found.append(
            tuple(w.intersect(Span(0, size)).size for w, size in zip(windows, shape, strict=True))
        )
    return tuple(found)


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
