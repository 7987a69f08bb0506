"""Greedy placement: one item after another into the lowest hole that is large enough.

The hole-filling rule is the "greedy by size" memory planner's of Pisarchyk & Lee,
"Efficient Memory Management for Deep Neural Net Inference" (2020).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from forebay.planning.bounds import Bound
from forebay.planning.feasible import shortage
from forebay.planning.items import Items, Room
from forebay.planning.plan import Placement
from forebay.planning.pool import Pool


def lowest_hole(pool: Pool, taken: Sequence[tuple[int, int]], size: int, alignment: int) -> int:
    """Lowest aligned offset at which `size` bytes meet no taken range; `taken` is sorted.

    Looks below the first taken range, too: the leading gap is a hole like any other.
    """
    offset = pool.align(pool.start, alignment)
    for start, end in taken:
        if offset + size <= start:
            break
        if end > offset:
            offset = pool.align(end, alignment)
    return offset


def place_in_order(items: Items, order: Sequence[int]) -> dict[str, Placement]:
    """First fit in the given order of items, each in its first candidate pool with a hole.

    Pinned items come first. Raises `PlanInfeasibleError` for an item that fits nowhere.
    """
    rooms: dict[int, Room] = {}
    offsets: dict[int, int] = {}
    pinned_first = sorted(order, key=lambda index: items.all[index].offset is None)
    for index in pinned_first:
        room, offset = _choose(items, index, rooms, offsets)
        rooms[index], offsets[index] = room, offset
    count = range(len(items.all))
    return items.placements([rooms[i] for i in count], [offsets[i] for i in count])


def _choose(
    items: Items, index: int, rooms: Mapping[int, Room], offsets: Mapping[int, int]
) -> tuple[Room, int]:
    item = items.all[index]
    if item.offset is not None:
        return item.rooms[0], item.offset
    best: tuple[int, Bound, Pool] | None = None
    for room in item.rooms:
        pool = items.problem.pools[room.pool]
        neighbours = [
            other
            for other in items.conflicts[index]
            if other in offsets and rooms[other].pool == room.pool
        ]
        taken = [(offsets[other], offsets[other] + rooms[other].size) for other in neighbours]
        taken = sorted([*taken, *pool.reserved])
        offset = lowest_hole(pool, taken, room.size, room.alignment)
        end = offset + room.size
        if pool.capacity is None or end <= pool.capacity:
            return room, offset
        names = [items.all[other].members[0] for other in neighbours]
        tick = item.start if item.lifetime else None
        bound = Bound(end, "first fit", (item.members[0], *names), tick)
        if best is None or end - pool.capacity < best[0]:
            best = (end - pool.capacity, bound, pool)
    if best is None:
        raise ValueError(f"item {index} has no pool")
    raise shortage(items.problem, best[2], best[1], proved=False)
