"""Beam search over the choice of pools, against trying all choices."""

import pytest
from common.oracles.pool_choices import LIMIT, cheapest, two_pools

from forebay.planning.search.beam import Beam, run_beam
from forebay.planning.search.critical_points import CriticalPoints, critical_points_of
from forebay.planning.search.items import items_of
from forebay.planning.search.prices import prices_of


def beam(seed: int, width: int) -> tuple[CriticalPoints, Beam]:
    points = critical_points_of(items_of(two_pools(seed)), {0: LIMIT})
    prices = prices_of(points)
    critical = {index for started in points.started for index in started}
    return points, run_beam(points, prices, critical, prices.bound, width)


def cost(points: CriticalPoints, found: Beam) -> int:
    """The cost of all items: those at no critical point are in their cheapest pool."""
    assert found.best is not None
    chosen = found.best.candidates()
    candidates = [
        chosen.get(i, min(item.candidates, key=lambda c: c.cost))
        for i, item in enumerate(points.items.all)
    ]
    loads = points.loads(candidates, range(len(candidates)))
    assert (loads <= points.limits).all()
    return sum(candidate.cost for candidate in candidates)


@pytest.mark.parametrize("seed", range(20))
def test_a_wide_beam_finds_the_cheapest_choice(seed: int) -> None:
    points, found = beam(seed, width=1000)
    assert found.dropped == float("inf")
    assert cost(points, found) == cheapest(two_pools(seed))


@pytest.mark.parametrize("seed", range(20))
def test_what_a_narrow_beam_drops_is_part_of_the_bound(seed: int) -> None:
    points, found = beam(seed, width=1)
    best = cheapest(two_pools(seed))
    assert cost(points, found) >= best
    assert min(found.dropped, cost(points, found)) <= best + 1e-6
