from pathlib import Path

import pytest

from forebay.planning import Buffer, PlanInfeasibleError, Pool, Problem, live, plan, read_problem
from forebay.planning.search.joint import ASSIGNMENTS

BOTH = ("fast", "slow")


def test_equal_cost_is_decided_by_the_weighted_peaks():
    pools = (Pool("fast", capacity=8, cost=0, weight=0), Pool("slow", cost=0))
    buffers = (Buffer("a", 6, live(0, 1), BOTH), Buffer("b", 8, live(0, 1), BOTH))
    found = plan(Problem(pools, buffers))
    assert {n: p.pool for n, p in found.placements.items()} == {"a": "slow", "b": "fast"}
    assert found.peak("slow") == 6


def test_more_choices_than_can_be_tried_keep_the_cheapest_set():
    # twelve chains of a 6 that meets two 5s, in a pool of 10: each spills its 6
    buffers = [
        buffer
        for i in range(0, 48, 4)
        for buffer in (
            Buffer(f"a{i}", 6, live(i, i + 4), BOTH),
            Buffer(f"b{i}", 5, live(i, i + 2), BOTH),
            Buffer(f"c{i}", 5, live(i + 2, i + 4), BOTH),
        )
    ]
    assert 2 ** len(buffers) > ASSIGNMENTS
    found = plan(Problem((Pool("fast", capacity=10), Pool("slow")), tuple(buffers)))
    assert found.cost == 12 * 6
    assert found.peak("slow") == 6


def test_what_fits_nowhere_is_infeasible():
    pools = (Pool("fast", capacity=8), Pool("slow", capacity=9))
    buffers = tuple(Buffer(n, 8, live(0, 1), BOTH) for n in "abc")
    with pytest.raises(PlanInfeasibleError):
        plan(Problem(pools, buffers))


def test_padding_that_lies_in_reserved_bytes_costs_nothing():
    # [1, 2) of pool a is reserved and is x1's padding: with x1 at 0 and x0 at 2 nothing is lost.
    # The lowest sum of peaks at the lowest cost is 18; all orders of first fit say so.
    problem = read_problem(Path(__file__).parents[1] / "problems" / "padding_in_reserved.json")
    found = plan(problem)
    assert (found.cost, found.weighted_peaks) == (5, 18)
