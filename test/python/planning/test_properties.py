"""Claims about all planners on random problems, judged by brute force."""

from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("hypothesis")

from common import planning_problems as generate
from hypothesis import assume, given, settings

from forebay.planning import (
    ByteRange,
    PlanInfeasibleError,
    Problem,
    ProblemError,
    certify,
    plan,
    planner_names,
)

EXTRAS = {"cp-sat", "omnimalloc"}


def solve(problem: Problem, planner: str):
    """The plan's value and certificates, or None when it is infeasible."""
    try:
        found = plan(problem, planner)
    except PlanInfeasibleError:
        return None
    return (found.cost, found.weighted_peaks), certify(found)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(generate.problems())
def test_every_planner_is_valid_and_at_or_above_the_bound(problem: Problem):
    assume(generate.is_valid(problem))
    for name in sorted(set(planner_names()) - EXTRAS):
        try:
            answer = solve(problem, name)
        except ProblemError:
            continue  # pins on top of each other
        if answer is not None:
            assert all(c.peak >= c.lower_bound for c in answer[1]), name


@settings(max_examples=400, deadline=None, derandomize=True)
@given(generate.problems(most=7))
def test_exact_equals_brute_force(problem: Problem):
    assume(generate.is_valid(problem))
    best = generate.brute_force(problem)
    try:
        answer = solve(problem, "exact")
    except ProblemError:
        assert best is None
        return
    assert (answer and answer[0]) == best
    if answer is not None and all(len(b.pools) == 1 for b in problem.buffers):
        assert all(c.optimal for c in answer[1])


@settings(max_examples=60, deadline=None, derandomize=True)
@given(generate.problems(most=7))
def test_no_planner_beats_the_exact_one(problem: Problem):
    assume(generate.is_valid(problem))
    try:
        best = solve(problem, "exact")
    except ProblemError:
        return
    for name in sorted(set(planner_names()) - EXTRAS):
        answer = solve(problem, name)
        if answer is not None:
            assert best is not None and best[0] <= answer[0], name


def scaled(problem: Problem, factor: int) -> Problem:
    pools = tuple(
        replace(
            pool,
            capacity=None if pool.capacity is None else pool.capacity * factor,
            alignment=pool.alignment * factor,
            reserved=tuple(ByteRange(s * factor, e * factor) for s, e in pool.reserved),
            start=pool.start * factor,
            base=None if pool.base is None else pool.base * factor,
            unit=pool.unit * factor,
        )
        for pool in problem.pools
    )
    buffers = tuple(
        replace(
            b,
            size=b.size * factor,
            alignment=None if b.alignment is None else b.alignment * factor,
            pinned_offset=None if b.pinned_offset is None else b.pinned_offset * factor,
        )
        for b in problem.buffers
    )
    return replace(problem, pools=pools, buffers=buffers)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(generate.problems())
def test_scaling_everything_scales_the_value(problem: Problem):
    assume(generate.is_valid(problem))
    for name in sorted(set(planner_names()) - EXTRAS):
        try:
            small, large = solve(problem, name), solve(scaled(problem, 4), name)
        except ProblemError:
            return
        assert (small is None) == (large is None), name
        if small is not None and large is not None:
            assert large[0] == (4 * small[0][0], 4 * small[0][1]), name


@settings(max_examples=60, deadline=None, derandomize=True)
@given(generate.problems(limited=False))
def test_adding_a_buffer_never_lowers_the_exact_value(problem: Problem):
    assume(generate.is_valid(problem) and all(b.alias is None for b in problem.buffers))
    name = problem.buffers[-1].name
    pairs = tuple(pair for pair in problem.conflicts if name not in pair)
    fewer = replace(problem, buffers=problem.buffers[:-1], conflicts=pairs)
    try:
        less, more = solve(fewer, "exact"), solve(problem, "exact")
    except ProblemError:
        return
    assert less is not None and more is not None
    assert less[0] <= more[0]
