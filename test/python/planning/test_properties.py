"""Plans of problems that differ in one respect; the fuzzer has an oracle for single problems."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from fuzz.problems.draw import draw_problem, scaled

from forebay.planning import (
    PlanInfeasibleError,
    PlanningError,
    PoolCertificate,
    Problem,
    ProblemError,
    certify,
    plan,
    planner_names,
)

EXTRAS = {"cp-sat", "omnimalloc"}
PLANNERS = sorted(set(planner_names()) - EXTRAS)


def drawn(count: int) -> Iterator[Problem]:
    """So many drawn problems that do not contradict themselves; those in banks are left out."""
    seed = 0
    while count:
        seed += 1
        problem = replace(draw_problem(seed), separations=())
        try:
            problem.check()
        except PlanningError:
            continue
        count -= 1
        yield problem


def solve(
    problem: Problem, planner: str
) -> tuple[tuple[int, int], tuple[PoolCertificate, ...]] | None:
    """The plan's value and certificates, or None when it is infeasible."""
    try:
        found = plan(problem, planner)
    except PlanInfeasibleError:
        return None
    return (found.cost, found.weighted_peaks), tuple(certify(found))


@pytest.mark.parametrize("planner", PLANNERS)
def test_scaling_everything_scales_the_value(planner: str) -> None:
    compared = 0
    for problem in drawn(60):
        try:
            small, large = solve(problem, planner), solve(scaled(problem, 4), planner)
        except ProblemError:
            continue  # pins on top of each other
        assert (small is None) == (large is None), problem
        if small is not None and large is not None:
            assert large[0] == (4 * small[0][0], 4 * small[0][1]), problem
            compared += 1
    assert compared > 20


def test_adding_a_buffer_never_lowers_the_exact_value() -> None:
    compared = 0
    for problem in drawn(150):
        if any(buffer.alias for buffer in problem.buffers):
            continue
        pools = tuple(replace(pool, capacity=None, banks=1) for pool in problem.pools)
        more = replace(problem, pools=pools)
        name = more.buffers[-1].name
        pairs = tuple(pair for pair in more.conflicts if name not in pair)
        fewer = replace(more, buffers=more.buffers[:-1], conflicts=pairs)
        try:
            with_it, without = solve(more, "exact"), solve(fewer, "exact")
        except ProblemError:
            continue
        assert with_it is not None and without is not None
        assert without[0] <= with_it[0], problem
        compared += 1
    assert compared > 50


def test_the_bound_is_reached_where_each_buffer_has_one_pool() -> None:
    compared = 0
    for problem in drawn(200):
        if any(len(buffer.pools) > 1 for buffer in problem.buffers):
            continue
        try:
            answer = solve(problem, "exact")
        except ProblemError:
            continue
        if answer is not None:
            assert all(certificate.optimal for certificate in answer[1]), problem
            compared += 1
    assert compared > 50
