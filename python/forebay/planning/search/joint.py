"""Joint choice of pools and offsets.

The time-indexed knapsack chooses pools by live bytes only. Then the search places the items in the
chosen pools. If the placement fails, the limits of the knapsack are reduced until it succeeds.
Afterwards, items that did not need to leave a cheaper pool return to it one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod

from forebay.planning.contract.planner import Proof
from forebay.planning.contract.value import PlanValue, value_of
from forebay.planning.model.errors import PlanInfeasibleError
from forebay.planning.model.plan import ProvedBound
from forebay.planning.search.exact import lowest_offsets
from forebay.planning.search.items import CandidatePool, Items
from forebay.planning.search.separate import separate, separate_all
from forebay.planning.search.stacks import stacks_of

_TRIES = 8
_SWAPS = 600
_UNLIMITED = 2**62
ASSIGNMENTS = 256
"""Maximum number of pool assignments for which all assignments are tried."""


def place_jointly(items: Items, steps: int) -> Proof:
    """Return the cheapest plan found, with the lowest peaks found for it.

    Raises `PlanInfeasibleError` when no plan is found.
    """
    if items.settled:
        return place_assigned(items, [item.candidates[0] for item in items.all], steps)
    if prod(len(item.candidates) for item in items.all) <= ASSIGNMENTS:
        return place_every_choice(items, steps)
    improved, failure = _climb(items, 0 if items.linear else _SWAPS)
    chosen = _place_chosen(items, steps) if items.linear and _limits(items) else None
    answers = [proof for proof in (chosen, improved) if proof is not None]
    if not answers:
        raise failure or PlanInfeasibleError(items.problem.pools[0].name, 0, 0)
    return min(answers, key=lambda proof: value_of(items.problem, proof.placements))


def place_assigned(
    items: Items, candidates: Sequence[CandidatePool], steps: int, *, fitting: bool = False
) -> Proof:
    """Place the items in the given candidate pools, each pool as low as possible.

    With `fitting`, the search of a pool stops as soon as its items fit the capacity.
    """
    offsets = [0] * len(items.all)
    proved: list[ProvedBound] = []
    for _, stack in stacks_of(items, candidates):
        enough = (stack.pool.capacity or _UNLIMITED) if fitting else 0
        answer = lowest_offsets(stack, steps, enough)
        proved.append(ProvedBound(stack.pool.name, answer.proved, answer.argument))
        separated = separate(stack, answer.offsets).tolist()
        for member, offset in zip(stack.members, separated, strict=True):
            offsets[member] = offset
    return Proof(items.placements(candidates, offsets), tuple(proved))


def place_every_choice(items: Items, steps: int) -> Proof:
    """Return the best plan over all pool assignments.

    Raises the `PlanInfeasibleError` with the smallest excess when no assignment can be placed.
    """
    choices = sorted(product(*(item.candidates for item in items.all)), key=_cost)
    best: tuple[PlanValue, Proof] | None = None
    failures: list[PlanInfeasibleError] = []
    for candidates in choices:
        if best is not None and _cost(candidates) > best[0][0]:
            break
        try:
            proof = place_assigned(items, candidates, steps // len(choices))
        except PlanInfeasibleError as failure:
            failures.append(failure)
            continue
        value = value_of(items.problem, proof.placements)
        if best is None or value < best[0]:
            best = value, proof
    if best is None:
        raise min(failures, key=lambda failure: failure.excess)
    return best[1]


def _climb(items: Items, swaps: int) -> tuple[Proof | None, PlanInfeasibleError | None]:
    from forebay.planning.search.climb import climb  # noqa: PLC0415  (for a choice of pools only)

    try:
        return Proof(separate_all(items, climb(items, swaps)), ()), None
    except PlanInfeasibleError as failure:
        return None, failure


def _limits(items: Items) -> dict[int, int]:
    """Return the usable bytes of each pool that has a capacity, by pool index."""
    limits: dict[int, int] = {}
    for number, pool in enumerate(items.problem.pools):
        if pool.capacity is not None:
            reserved = sum(
                max(0, min(end, pool.capacity) - max(start, pool.start))
                for start, end in pool.reserved
            )
            limits[number] = max(0, pool.capacity - pool.start - reserved)
    return limits


def _place_chosen(items: Items, steps: int) -> Proof | None:
    """Place the knapsack's choice; if this fails, place a choice under smaller limits.

    Returns None when neither can be placed.
    """
    from forebay.planning.search.knapsack import choose_pools  # noqa: PLC0415
    from forebay.planning.search.return_to_cheaper import return_to_cheaper  # noqa: PLC0415

    limits = _limits(items)
    choice = choose_pools(items, limits, width=200, swaps=500)
    if choice is None:
        return None
    proof = _settle(items, choice.candidates, steps * 2 // 3)
    if proof is not None:
        return proof
    candidates = _smaller(items, limits, steps // 20)
    if candidates is None:
        return None
    return _settle(items, return_to_cheaper(items, candidates, limits, steps // 50), steps // 4)


def _settle(items: Items, candidates: Sequence[CandidatePool], steps: int) -> Proof | None:
    """Place the items within the capacities, then lower the peaks with a third of the steps."""
    placed = _try(items, candidates, steps, fitting=True)
    if placed is None:
        return None
    lower = _try(items, candidates, steps // 3)
    return placed if lower is None else lower


def _smaller(items: Items, limits: Mapping[int, int], steps: int) -> Sequence[CandidatePool] | None:
    """Return the cheapest choice that can be placed under a share of the limits, or None.

    Bisection finds the share.
    """
    from forebay.planning.search.knapsack import choose_pools  # noqa: PLC0415

    low, high, best = 0.0, 1.0, None
    for _ in range(_TRIES):
        share = (low + high) / 2 if best else 0.85 * high
        choice = choose_pools(
            items, {p: int(limit * share) for p, limit in limits.items()}, 60, 100
        )
        if choice is None or _try(items, choice.candidates, steps, fitting=True) is None:
            high = share
            continue
        low = share
        if best is None or _cost(choice.candidates) < _cost(best):
            best = choice.candidates
    return best


def _cost(candidates: Sequence[CandidatePool]) -> int:
    return sum(candidate.cost for candidate in candidates)


def _try(
    items: Items, candidates: Sequence[CandidatePool], steps: int, *, fitting: bool = False
) -> Proof | None:
    try:
        return place_assigned(items, candidates, steps, fitting=fitting)
    except PlanInfeasibleError:
        return None
