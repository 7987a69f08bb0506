"""The dimensions that tiles may cut so that a transfer moves each operand's slices.

A slice is a block whose rank is the number of its dimensions that are not one contiguous run:

    operand [4][8][16], slice        rank    because
    [2][8][16]                       1       two whole rows of 8 x 16 are one run
    [2][8][4]                        2       2 x 8 runs of 4, all with one stride
    [2][4][4]                        3       2 times 4 runs of 4
    [1][4][16]                       1       one row, and 4 whole runs of 16 in it

So a transfer of few dimensions leaves a choice: cut this axis or that one, or cut both and move
single rows. Each dimension is one of these three, and the tiler compares the choices.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from forebay.regions import Affine, OperandAccess
from forebay.tiling import TileLimit

TileLimits = tuple[TileLimit, ...]
"""The limits of tiles by dimension."""

_SINGLE = 1


def block_rank(access: OperandAccess, limits: Sequence[TileLimit], extents: Sequence[int]) -> int:
    """Return the highest rank of a slice that tiles with these limits have of an operand."""
    rank, is_joined = 1, True
    for index, size in reversed(list(zip(access.index, access.shape, strict=True))):
        if size == 1:
            continue
        if _longest(index, size, limits, extents) > 1:
            rank += not is_joined
            is_joined = True
        is_joined = is_joined and not _is_cut(index, limits, extents)
    return rank


def is_single(
    index: Affine, size: int, limits: Sequence[TileLimit], extents: Sequence[int]
) -> bool:
    """Return whether every tile has only one position of an axis of this size."""
    return _longest(index, size, limits, extents) == 1


def choices(
    ranks: Mapping[OperandAccess, int], limits: Sequence[TileLimit], extents: Sequence[int]
) -> Iterator[TileLimits]:
    """Yield limits: those given, and others with dimensions that are whole or single points.

    `ranks` has the highest rank of the blocks of each operand that is limited.
    """
    contested = sorted(
        {
            dimension
            for access, most in ranks.items()
            if block_rank(access, limits, extents) > most
            for index in access.index
            for dimension in index.dimensions
            if not limits[dimension].is_whole and extents[dimension] > 1
        }
    )
    variants = [_variants(limits[dimension]) for dimension in contested]
    for chosen in itertools.product(*variants):
        found = list(limits)
        for dimension, limit in zip(contested, chosen, strict=True):
            found[dimension] = limit
        yield tuple(found)


def without_contained(found: Sequence[TileLimits], extents: Sequence[int]) -> list[TileLimits]:
    """Return the limits that allow a tile which no others allow, in their order."""
    sizes = [
        [frozenset(limit.sizes(extent)) for limit, extent in zip(limits, extents, strict=True)]
        for limits in found
    ]

    def contains(other: int, own: int) -> bool:
        is_wider = all(a >= b for a, b in zip(sizes[other], sizes[own], strict=True))
        return is_wider and (sizes[other] != sizes[own] or other < own)

    numbers = range(len(found))
    return [found[n] for n in numbers if not any(contains(m, n) for m in numbers if m != n)]


def _variants(limit: TileLimit) -> list[TileLimit]:
    whole = TileLimit(limit.multiple, limit.most, is_whole=True)
    single = [TileLimit(most=_SINGLE)] if limit.multiple == 1 else []
    return [limit, whole, *single]


def _longest(index: Affine, size: int, limits: Sequence[TileLimit], extents: Sequence[int]) -> int:
    """Return the most positions of an axis that a tile has."""
    reach = 1
    for dimension, factor in index.terms:
        most = limits[dimension].most
        extent = extents[dimension] if most is None else min(most, extents[dimension])
        reach += abs(factor) * (extent - 1)
    return min(reach, size) if index.is_linear else size


def _is_cut(index: Affine, limits: Sequence[TileLimit], extents: Sequence[int]) -> bool:
    return any(not limits[d].is_whole and extents[d] > 1 for d in index.dimensions)
