"""Local search on the choice of pools, from the worst choice that satisfies the limits."""

import pytest
from common.oracles.pool_choices import LIMIT, cheapest, two_pools

from forebay.planning.search.critical_points import critical_points_of
from forebay.planning.search.items import items_of
from forebay.planning.search.swaps import improve


@pytest.mark.parametrize("seed", range(20))
def test_all_in_the_slow_pool_is_improved(seed: int) -> None:
    problem = two_pools(seed)
    points = critical_points_of(items_of(problem), {0: LIMIT})
    critical = {index for started in points.started for index in started}
    slow = [
        max(item.candidates, key=lambda c: c.pool)
        if index in critical
        else min(item.candidates, key=lambda c: c.cost)
        for index, item in enumerate(points.items.all)
    ]
    found = improve(points, slow, rounds=200)
    assert (points.loads(found, range(len(found))) <= points.limits).all()
    total = sum(candidate.cost for candidate in found)
    assert cheapest(problem) <= total <= sum(candidate.cost for candidate in slow)
    assert total <= 1.2 * cheapest(problem)


def test_the_answer_is_the_same_every_time() -> None:
    points = critical_points_of(items_of(two_pools(3)), {0: LIMIT})
    slow = [max(item.candidates, key=lambda c: c.pool) for item in points.items.all]
    assert improve(points, slow, 50) == improve(points, slow, 50)
