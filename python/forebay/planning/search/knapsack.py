"""The time-indexed knapsack: a choice of pools by live bytes only, without offsets.

It chooses one candidate pool per item at the lowest cost, such that at every point in time the live
bytes of each limited pool fit its limit. The knapsack is a relaxation of planning, so its optimum
is a lower bound on the cost of every plan. A beam search over time finds a choice, then swaps
improve it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, gcd

from forebay.planning.search.beam import run_beam
from forebay.planning.search.items import CandidatePool, Items
from forebay.planning.search.moments import moments_of
from forebay.planning.search.prices import prices_of
from forebay.planning.search.swaps import improve


@dataclass(frozen=True)
class PoolChoices:
    """A candidate pool per item, the total cost, and a proved lower bound on the cost."""

    rooms: tuple[CandidatePool, ...]
    cost: int
    bound: int


def choose(
    items: Items, limits: Mapping[int, int], width: int, swaps: int = 0
) -> PoolChoices | None:
    """Return the cheapest choice that a beam of `width` states finds, or None.

    `limits`: bytes per limited pool, by pool index. `swaps`: rounds of improvement when the cost
    does not reach the bound. The problem must be linear (see `Items.linear`).
    """
    moments = moments_of(items, limits)
    prices = prices_of(moments)
    critical = {index for born in moments.born for index in born}
    beam = run_beam(moments, prices, critical, prices.bound, width)
    if beam.best is None:
        return None
    rooms = [min(item.rooms, key=lambda room: room.cost) for item in moments.items.all]
    for index, room in beam.best.rooms().items():
        rooms[index] = room
    first_cost = _cost(rooms)
    grain = gcd(*(room.cost for item in moments.items.all for room in item.rooms)) or 1
    lowest = max(prices.bound, min(beam.dropped, first_cost))
    bound = ceil(lowest / grain - 1e-6) * grain
    if bound < first_cost:
        rooms = improve(moments, rooms, swaps)
    return PoolChoices(tuple(rooms), _cost(rooms), min(bound, _cost(rooms)))


def _cost(rooms: Sequence[CandidatePool]) -> int:
    return sum(room.cost for room in rooms)
