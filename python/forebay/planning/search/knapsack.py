"""The time-indexed knapsack: a choice of pools by live bytes only, without offsets.

It chooses one candidate pool per item at the lowest cost, such that at every point in time the live
bytes of each limited pool fit its limit. The knapsack is a relaxation of planning, so its optimum
is a lower bound on the cost of every plan. A beam search over time finds a choice, then swaps
improve it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, gcd

from msgspec import Struct

from forebay.planning.search.beam import run_beam
from forebay.planning.search.critical_points import critical_points_of
from forebay.planning.search.items import CandidatePool, Items
from forebay.planning.search.prices import prices_of
from forebay.planning.search.swaps import improve


class ChosenPools(Struct, frozen=True):
    """A candidate pool per item, the total cost, and a proved lower bound on the cost."""

    candidates: tuple[CandidatePool, ...]
    cost: int
    bound: int


def choose_pools(
    items: Items, limits: Mapping[int, int], width: int, swaps: int = 0
) -> ChosenPools | None:
    """Return the cheapest choice that a beam of `width` states finds, or None.

    `limits`: bytes per limited pool, by pool index. `swaps`: rounds of improvement when the cost
    does not reach the bound. The problem must be linear (see `Items.linear`).
    """
    points = critical_points_of(items, limits)
    prices = prices_of(points)
    critical = {index for started in points.started for index in started}
    beam = run_beam(points, prices, critical, prices.bound, width)
    if beam.best is None:
        return None
    candidates = [
        min(item.candidates, key=lambda candidate: candidate.cost) for item in points.items.all
    ]
    for index, candidate in beam.best.candidates().items():
        candidates[index] = candidate
    first_cost = _cost(candidates)
    step = gcd(*(candidate.cost for item in points.items.all for candidate in item.candidates)) or 1
    lowest = max(prices.bound, min(beam.dropped, first_cost))
    bound = ceil(lowest / step - 1e-6) * step
    if bound < first_cost:
        candidates = improve(points, candidates, swaps)
    return ChosenPools(tuple(candidates), _cost(candidates), min(bound, _cost(candidates)))


def _cost(candidates: Sequence[CandidatePool]) -> int:
    return sum(candidate.cost for candidate in candidates)
