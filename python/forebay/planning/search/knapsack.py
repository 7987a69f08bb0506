"""Which pool each item should live in, if only bytes counted and not where they lie.

The time-indexed knapsack: choose a room per item so that at every moment the live bytes of each
limited pool fit its limit, at the lowest cost. It relaxes planning, so its value bounds the cost
of every plan. A beam over time finds a choice; then swaps improve it.
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
    """A room per item, its cost, and a proved bound on the cost of any choice."""

    rooms: tuple[CandidatePool, ...]
    cost: int
    bound: int


def choose(
    items: Items, limits: Mapping[int, int], width: int, swaps: int = 0
) -> PoolChoices | None:
    """The cheapest choice that a beam of `width` states finds; None if it finds none.

    `limits`: bytes per limited pool, by the pool's number; `swaps`: rounds of improvement where
    the bound is not reached. Needs a linear problem.
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
