"""The calls of a tiling: their number, and their cycles."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import lru_cache

from forebay.tiling.contiguous import outer_axes
from forebay.tiling.problem import TilingProblem


class CallCosts:
    """The cost of the calls of one problem, for any tile sizes."""

    def __init__(self, problem: TilingProblem) -> None:
        self._problem = problem
        self._extents = problem.nest.domain.sizes
        pairs = zip(problem.outputs, problem.nest.outputs, strict=True)
        self._known: dict[tuple[int, ...], tuple[int, int]] = {}
        self._written_in_runs = [
            ([d for index in access.index for d in index.dimensions], access.shape)
            for storage, access in pairs
            if storage.contiguous and storage.transfer is None
        ]

    def sizes_along(self, dimension: int, size: int) -> tuple[tuple[int, int], ...]:
        """Return the sizes of the tiles along a dimension, with the number of each."""
        return _sizes_along(self._extents[dimension], size)

    def tiles(self, sizes: Sequence[int]) -> int:
        """Return the number of tiles, which have at least one call each."""
        return math.prod([-(-e // s) for e, s in zip(self._extents, sizes, strict=True)])

    def of_tile(self, sizes: tuple[int, ...]) -> int:
        """Return the cycles of the calls that compute one tile."""
        runs, cost = self._runs(sizes)
        return runs * self._problem.calls.cycles(cost)

    def of(self, sizes: Sequence[int]) -> tuple[int, int]:
        """Return the cycles of all calls, and their number."""
        key = tuple(sizes)
        if key not in self._known:
            self._known[key] = self._of(key)
        return self._known[key]

    def _of(self, sizes: tuple[int, ...]) -> tuple[int, int]:
        cycles = count = 0
        along = [_sizes_along(*each) for each in zip(self._extents, sizes, strict=True)]
        for tile in itertools.product(*along):
            runs, cost = self._runs(tuple([size for size, _ in tile]))
            times = runs * math.prod([number for _, number in tile])
            cycles += times * self._problem.calls.cycles(cost)
            count += times
        return cycles, count

    def _runs(self, sizes: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        """Return how many calls compute a tile, and the sizes of the part of each."""
        if not self._written_in_runs:
            return 1, sizes
        split: set[int] = set()
        for own, shape in self._written_in_runs:
            split.update(own[: outer_axes([sizes[d] for d in own], shape)])
        runs = math.prod([sizes[d] for d in split])
        return runs, tuple([1 if d in split else size for d, size in enumerate(sizes)])


@lru_cache(maxsize=1 << 12)
def _sizes_along(extent: int, size: int) -> tuple[tuple[int, int], ...]:
    whole, rest = divmod(extent, size)
    return (*([(size, whole)] if whole else []), *([(rest, 1)] if rest else []))
