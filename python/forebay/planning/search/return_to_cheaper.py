"""Moving of items back to cheaper pools while all items can still be placed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from forebay.planning.model.errors import PlanInfeasibleError
from forebay.planning.search.critical_points import critical_points_of
from forebay.planning.search.exact import lowest_offsets
from forebay.planning.search.items import CandidatePool, Items
from forebay.planning.search.stack import stack_of

_TRIES = 40


def return_to_cheaper(
    items: Items, candidates: Sequence[CandidatePool], limits: Mapping[int, int], steps: int
) -> list[CandidatePool]:
    """Return a choice of candidate pools whose cost is not higher.

    The largest saving is tried first. At most `TRIES` placements are tried, with `steps` of search
    each. `limits` are bytes by pool index.
    """
    points = critical_points_of(items, limits)
    chosen = list(candidates)
    savings = [
        (candidate.cost - chosen[i].cost, i, candidate)
        for i, item in enumerate(items.all)
        for candidate in item.candidates
        if candidate.cost < chosen[i].cost
    ]
    tries = 0
    for _, index, candidate in sorted(savings, key=lambda saving: saving[:2]):
        if candidate.cost >= chosen[index].cost or tries == _TRIES:
            continue
        changed = [*chosen[:index], candidate, *chosen[index + 1 :]]
        loads = points.loads(changed, range(len(changed)))
        if (loads > points.limits).any():
            continue
        tries += 1
        if _fits(items, changed, candidate.pool, steps):
            chosen = changed
    return chosen


def _fits(items: Items, candidates: Sequence[CandidatePool], pool: int, steps: int) -> bool:
    members = [index for index, candidate in enumerate(candidates) if candidate.pool == pool]
    stack = stack_of(items, pool, members)
    try:
        lowest_offsets(stack, steps, enough=stack.pool.capacity or 0)
    except PlanInfeasibleError:
        return False
    return True
