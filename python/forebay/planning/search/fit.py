"""Greedy placement of all items of a problem, each in its first candidate pool with space."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from forebay.planning.contract.bounds import Bound
from forebay.planning.contract.feasible import shortage
from forebay.planning.model.plan import Placement
from forebay.planning.search.holes import first_fit, lowest_hole
from forebay.planning.search.items import CandidatePool, Items
from forebay.planning.search.stacks import place_stacks
from forebay.pools import Pool

Hole = Callable[[Pool, Sequence[tuple[int, int]], int, int], int]


def place_in_order(
    items: Items, order: Sequence[int], hole: Hole = lowest_hole
) -> dict[str, Placement]:
    """Place items in the given order, each in its first candidate pool with a large enough hole.

    Pinned items are placed first. Raises `PlanInfeasibleError` for an item that fits in no pool.
    """
    if len(items.problem.pools) == 1 and hole is lowest_hole:
        candidates = [item.candidates[0] for item in items.all]
        return place_stacks(items, candidates, lambda stack: first_fit(stack, order))
    return _several_pools(items, order, hole)


def _several_pools(items: Items, order: Sequence[int], hole: Hole) -> dict[str, Placement]:
    candidates: dict[int, CandidatePool] = {}
    offsets: dict[int, int] = {}
    pinned_first = sorted(order, key=lambda index: items.all[index].offset is None)
    for index in pinned_first:
        candidate, offset = _choose(items, index, candidates, offsets, hole)
        candidates[index], offsets[index] = candidate, offset
    count = range(len(items.all))
    return items.placements([candidates[i] for i in count], [offsets[i] for i in count])


def _choose(
    items: Items,
    index: int,
    candidates: Mapping[int, CandidatePool],
    offsets: Mapping[int, int],
    hole: Hole,
) -> tuple[CandidatePool, int]:
    item = items.all[index]
    if item.offset is not None:
        return item.candidates[0], item.offset
    best: tuple[int, Bound, Pool] | None = None
    for candidate in item.candidates:
        pool = items.problem.pools[candidate.pool]
        neighbours = [
            other
            for other in items.conflicts[index]
            if other in offsets and candidates[other].pool == candidate.pool
        ]
        taken = [(offsets[other], offsets[other] + candidates[other].size) for other in neighbours]
        taken = sorted([*taken, *pool.reserved])
        offset = hole(pool, taken, candidate.size, candidate.alignment)
        end = offset + candidate.size
        if pool.capacity is None or end <= pool.capacity:
            return candidate, offset
        names = [items.all[other].members[0] for other in neighbours]
        tick = item.start if item.lifetime else None
        bound = Bound(end, "first fit", (item.members[0], *names), tick)
        if best is None or end - pool.capacity < best[0]:
            best = (end - pool.capacity, bound, pool)
    if best is None:
        raise ValueError(f"item {index} has no pool")
    raise shortage(items.problem, best[2], best[1], proved=False)
