"""Planning problems with fixed numbers, and the oracle against one that assumes nothing."""

import pytest
from common.sweep import sweep

from forebay.planning import ProblemError
from fuzz.cases import judged
from fuzz.problems import check
from fuzz.problems.draw import draw_problem
from fuzz.problems.oracle import Oracle


@pytest.mark.parametrize("first", sweep(range(1, 501, 50)))
def test_every_planner_agrees_with_brute_force(first: int):
    failures = {n: judged(check, n)[1] for n in range(first, first + 50)}
    assert {n: text for n, text in failures.items() if text is not None} == {}


def test_the_oracle_is_right_on_problems_whose_every_offset_can_be_tried():
    compared = 0
    for seed in range(400):
        problem = draw_problem(seed)
        try:
            problem.check()
        except ProblemError:
            continue
        oracle = Oracle(problem)
        for pool in problem.pools:
            here = [i for i, b in enumerate(oracle.blocks) if pool.name in b.pools][:3]
            lowest = oracle.lowest(pool, here)
            below = 40 if lowest is None else lowest
            assert oracle.every_offset(pool, here, min(below, 70)) == lowest
            compared += 1
    assert compared > 300
