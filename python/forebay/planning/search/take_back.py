"""Moving of items back to cheaper pools while all items can still be placed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from forebay.planning.model.errors import PlanInfeasibleError
from forebay.planning.search.exact import lowest
from forebay.planning.search.items import CandidatePool, Items
from forebay.planning.search.moments import moments_of
from forebay.planning.search.stack import stack_of

TRIES = 40


def take_back(
    items: Items, rooms: Sequence[CandidatePool], limits: Mapping[int, int], steps: int
) -> list[CandidatePool]:
    """Return a choice of candidate pools whose cost is not higher.

    The largest saving is tried first. At most `TRIES` placements are tried, with `steps` of search
    each. `limits` are bytes by pool index.
    """
    moments = moments_of(items, limits)
    chosen = list(rooms)
    savings = [
        (room.cost - chosen[i].cost, i, room)
        for i, item in enumerate(items.all)
        for room in item.rooms
        if room.cost < chosen[i].cost
    ]
    tries = 0
    for _, index, room in sorted(savings, key=lambda saving: saving[:2]):
        if room.cost >= chosen[index].cost or tries == TRIES:
            continue
        changed = [*chosen[:index], room, *chosen[index + 1 :]]
        loads = moments.loads(changed, range(len(changed)))
        if (loads > moments.limits).any():
            continue
        tries += 1
        if _fits(items, changed, room.pool, steps):
            chosen = changed
    return chosen


def _fits(items: Items, rooms: Sequence[CandidatePool], pool: int, steps: int) -> bool:
    members = [index for index, room in enumerate(rooms) if room.pool == pool]
    stack = stack_of(items, pool, members)
    try:
        lowest(stack, steps, enough=stack.pool.capacity or 0)
    except PlanInfeasibleError:
        return False
    return True
