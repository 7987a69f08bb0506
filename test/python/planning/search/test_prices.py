"""The bound that prices prove, against the cheapest choice by trying all."""

import pytest
from common.oracles.pool_choices import LIMIT, cheapest, two_pools

from forebay.planning.search.critical_points import critical_points_of
from forebay.planning.search.items import items_of
from forebay.planning.search.prices import prices_of


@pytest.mark.parametrize("seed", range(20))
def test_no_choice_is_cheaper_than_the_bound(seed: int) -> None:
    problem = two_pools(seed)
    points = critical_points_of(items_of(problem), {0: LIMIT})
    prices = prices_of(points)
    assert prices.bound <= cheapest(problem) + 1e-6
    assert (prices.table >= 0).all()
    assert not prices.table[1].any()  # a pool without a limit has no price


def test_bounds_are_near_the_best_choice() -> None:
    """Without prices the bound is the sum of the cheapest pools."""
    bounds = free = best = 0.0
    for seed in range(20):
        problem = two_pools(seed)
        bounds += prices_of(critical_points_of(items_of(problem), {0: LIMIT})).bound
        free += sum(min(buffer.costs or ()) for buffer in problem.buffers)
        best += cheapest(problem)
    assert bounds - free > 0.6 * (best - free)
