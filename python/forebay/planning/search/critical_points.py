"""The points in time at which a limited pool could overflow; only they restrict the pool choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from forebay.planning.search.items import CandidatePool, Item, Items
from forebay.planning.search.sections import sections
from forebay.planning.search.stack import whole_stack

UNLIMITED_BYTES = float(2**62)
PoolLoads = NDArray[np.float64]


class CriticalPoints(Struct, frozen=True):
    """The critical points in time order.

    `first`, `last`: per item, the first and last point at which it is live, or -1 if there is none.
    `started`: per point, the items whose first point it is. `limits`: bytes of each pool at each
    point, shape (pools, points).
    """

    items: Items
    first: Sequence[int]
    last: Sequence[int]
    started: Sequence[Sequence[int]]
    limits: PoolLoads

    def loads(self, candidates: Sequence[CandidatePool], members: Sequence[int]) -> PoolLoads:
        """Return the bytes in each pool at each point, shape (pools, points).

        `candidates` is the candidate pool of each item; only the items in `members` count.
        """
        loads = np.zeros(self.limits.shape)
        for index in members:
            if self.first[index] >= 0:
                candidate, span = candidates[index], slice(self.first[index], self.last[index] + 1)
                loads[candidate.pool, span] += candidate.size
        return loads


def critical_points_of(items: Items, limits: Mapping[int, int]) -> CriticalPoints:
    """Return the critical points of a linear problem, given the bytes of each limited pool."""
    items = _without_impossible_pools(items, limits)
    cliques = [
        clique
        for clique in sections(whole_stack(items))
        if any(_load(items, clique, pool) > limit for pool, limit in limits.items())
    ]
    first, last = [-1] * len(items.all), [-1] * len(items.all)
    for point, clique in enumerate(cliques):
        for index in clique:
            first[index] = point if first[index] < 0 else first[index]
            last[index] = point
    started: list[list[int]] = [[] for _ in cliques]
    for index in sorted(range(len(first)), key=lambda i: (first[i], -items.all[i].size, i)):
        if first[index] >= 0:
            started[first[index]].append(index)
    table = np.full((len(items.problem.pools), len(cliques)), UNLIMITED_BYTES)
    for pool, limit in limits.items():
        table[pool] = limit
    return CriticalPoints(items, first, last, started, table)


def _without_impossible_pools(items: Items, limits: Mapping[int, int]) -> Items:
    """Return the items without the candidate pools that are smaller than the item."""
    kept: list[Item] = []
    for item in items.all:
        candidates = tuple(r for r in item.candidates if r.size <= limits.get(r.pool, r.size))
        kept.append(replace(item, candidates=candidates or item.candidates))
    return replace(items, all=tuple(kept))


def _load(items: Items, clique: Sequence[int], pool: int) -> int:
    """Return the bytes in the pool if all items of a clique that may be placed there are."""
    return sum(
        candidate.size
        for i in clique
        for candidate in items.all[i].candidates
        if candidate.pool == pool
    )
