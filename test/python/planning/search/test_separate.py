"""Separation preferences: each one that costs no byte is met, which the test counts."""

from __future__ import annotations

from itertools import product

import pytest

pytest.importorskip("hypothesis")

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from forebay.planning import (
    Buffer,
    ByteRange,
    PlanInfeasibleError,
    Pool,
    Problem,
    ProblemError,
    Separation,
    live,
    plan,
    planner_names,
)

HERE = ("ram",)


def test_ranges_share_a_bank_when_they_touch_a_common_one():
    pool = Pool("ram", capacity=64, banks=4)
    separation = Separation("a", "b", shared_byte=2, same_bank=5)
    assert separation.penalty(pool, ByteRange(0, 16), ByteRange(16, 32)) == 0
    assert separation.penalty(pool, ByteRange(0, 17), ByteRange(17, 32)) == 5
    assert separation.penalty(pool, ByteRange(0, 40), ByteRange(20, 24)) == 5 + 2 * 4
    assert separation.penalty(pool, ByteRange(48, 64), ByteRange(0, 40)) == 0


def test_a_pool_without_banks_is_one_bank():
    separation = Separation("a", "b", same_bank=5)
    assert separation.penalty(Pool("ram", capacity=64), ByteRange(0, 1), ByteRange(63, 64)) == 5


def test_bytes_are_not_reused_where_that_costs_none():
    # b takes a's bytes by any order; above c it need not, and c's 20 bytes are the peak anyway
    buffers = (
        Buffer("a", 10, live(0, 1), HERE),
        Buffer("b", 10, live(1, 2), HERE),
        Buffer("c", 20, live(2, 3), HERE),
    )
    separations = (Separation("a", "b", shared_byte=1),)
    found = plan(Problem((Pool("ram"),), buffers, separations=separations))
    assert (found.peak("ram"), found.penalty) == (20, 0)


def test_no_byte_of_peak_is_paid_unless_the_peak_weighs_nothing():
    buffers = (Buffer("a", 10, live(0, 1), HERE), Buffer("b", 10, live(1, 2), HERE))
    separations = (Separation("a", "b", shared_byte=1),)
    small = plan(Problem((Pool("ram"),), buffers, separations=separations))
    assert (small.peak("ram"), small.penalty) == (10, 10)
    fast = plan(Problem((Pool("ram", capacity=16, weight=0),), buffers, separations=separations))
    assert (fast.peak("ram"), fast.penalty) == (16, 4)


def test_operands_lie_in_different_banks():
    # both live at once; one after the other they would meet in bank 0, [0, 13)
    buffers = (Buffer("a", 10, live(0, 1), HERE), Buffer("b", 10, live(0, 1), HERE))
    separations = (Separation("a", "b", same_bank=1),)
    pool = Pool("ram", capacity=52, banks=4, weight=0)
    found = plan(Problem((pool,), buffers, separations=separations))
    a, b = ({byte // 13 for byte in range(*found.range_of(name))} for name in "ab")
    assert not a & b
    assert plan(Problem((pool,), buffers, separations=separations), "first-fit").penalty == 1


def test_the_choice_of_pools_serves_speed_when_all_else_is_equal():
    pools = (Pool("one", capacity=10, cost=0, weight=0), Pool("two", capacity=10, cost=0, weight=0))
    both = ("one", "two")
    buffers = (Buffer("a", 10, live(0, 1), both), Buffer("b", 10, live(1, 2), both))
    separations = (Separation("a", "b", shared_byte=1),)
    found = plan(Problem(pools, buffers, separations=separations))
    assert found.penalty == 0
    assert found.placements["a"].pool != found.placements["b"].pool


def test_general_conflicts_and_many_pools_are_parted_too():
    # more choices than are tried one by one, on a conflict graph: the local search's answer
    both = ("one", "two")
    pools = (
        Pool("one", capacity=200, cost=0, weight=0),
        Pool("two", capacity=200, cost=0, weight=0),
    )
    names = [f"b{i}" for i in range(12)]
    buffers = tuple(Buffer(name, 10, (), both) for name in names)
    separations = tuple(Separation(a, b, shared_byte=1) for a in names for b in names if a < b)
    found = plan(Problem(pools, buffers, (("b0", "b1"),), separations=separations))
    assert found.penalty == 0


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (
            Problem((Pool("p", capacity=8, banks=0),), ()),
            "pool 'p' has 0 banks; there must be at least 1",
        ),
        (
            Problem((Pool("p", banks=2),), ()),
            "pool 'p' has banks; it needs a capacity that they divide",
        ),
        (
            Problem((Pool("p", capacity=96, alignment=16, unit=16, banks=4),), ()),
            "pool 'p' has 96 bytes, which are not 4 banks of whole rows",
        ),
        (
            Problem(
                (Pool("ram"),), (Buffer("a", 1, (), HERE),), separations=(Separation("a", "b"),)
            ),
            "separation (a, b): there is no buffer 'b'",
        ),
        (
            Problem(
                (Pool("ram"),), (Buffer("a", 1, (), HERE),), separations=(Separation("a", "a"),)
            ),
            "buffer 'a' is separated from itself",
        ),
        (
            Problem(
                (Pool("ram"),),
                (Buffer("a", 1, (), HERE), Buffer("b", 1, (), HERE)),
                separations=(Separation("a", "b", -1),),
            ),
            "separation (a, b): a penalty must not be negative",
        ),
    ],
)
def test_invalid_preferences_are_refused(problem: Problem, message: str):
    with pytest.raises(ProblemError) as refusal:
        problem.check()
    assert str(refusal.value) == message


# ---- Against counting ----------------------------------------------------------------------------


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    alignment = draw(st.sampled_from([1, 1, 2]))
    pool = Pool(
        "ram",
        capacity=draw(st.sampled_from([12, 16])),
        alignment=alignment,
        reserved=draw(st.sampled_from([(), (ByteRange(4, 6),)])),
        start=draw(st.sampled_from([0, 0, 2])),
        weight=draw(st.sampled_from([0, 1])),
        banks=draw(st.sampled_from([1, 2, 4])),
    )
    buffers: list[Buffer] = []
    for i in range(draw(st.integers(2, 4))):
        start, size = draw(st.integers(0, 4)), draw(st.integers(1, 7))
        pin = draw(st.sampled_from([None, None, None, 8]))
        life = live(start, start + draw(st.integers(1, 3)))
        buffers.append(Buffer(f"b{i}", size, life, HERE, pinned_offset=pin))
    pairs = [(i, j) for i in range(len(buffers)) for j in range(i)]
    separations = tuple(
        Separation(f"b{i}", f"b{j}", draw(st.integers(0, 2)), draw(st.integers(0, 5)))
        for i, j in pairs
        if draw(st.booleans())
    )
    return Problem((pool,), tuple(buffers), separations=separations)


def count(problem: Problem) -> tuple[int, int] | None:
    """Weighted peak and penalty of the best of all plans."""
    (pool,), best = problem.pools, None
    assert pool.capacity is not None
    places = [
        [
            range(o, o + b.size)
            for o in range(pool.start, pool.capacity - b.size + 1)
            if o % pool.alignment == 0
            and b.pinned_offset in (None, o)
            and not any(o < end and start < o + b.size for start, end in pool.reserved)
        ]
        for b in problem.buffers
    ]
    apart = [
        (i, j)
        for i, a in enumerate(problem.buffers)
        for j, b in enumerate(problem.buffers[:i])
        if a.lifetime[0].start < b.lifetime[0].end and b.lifetime[0].start < a.lifetime[0].end
    ]
    number = {b.name: i for i, b in enumerate(problem.buffers)}
    bank = pool.capacity // pool.banks
    for chosen in product(*places):
        if any(_common(chosen[i], chosen[j]) for i, j in apart):
            continue
        penalty = 0
        for separation in problem.separations:
            one, other = chosen[number[separation.first]], chosen[number[separation.second]]
            banks = {byte // bank for byte in one} & {byte // bank for byte in other}
            penalty += separation.shared_byte * _common(one, other) + separation.same_bank * bool(
                banks
            )
        value = (pool.weight * max(r.stop for r in chosen), penalty)
        best = value if best is None else min(best, value)
    return best


def _common(one: range, other: range) -> int:
    return max(0, min(one.stop, other.stop) - max(one.start, other.start))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(problems())
def test_exact_has_the_lowest_penalty_of_all_plans_of_its_peak(problem: Problem):
    try:
        problem.check()
        found = plan(problem, "exact")
    except ProblemError:
        assume(False)
        return
    except PlanInfeasibleError:
        assert count(problem) is None
        return
    assert (found.weighted_peaks, found.penalty) == count(problem)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(problems())
def test_preferences_cost_no_planner_a_byte(problem: Problem):
    without = Problem(problem.pools, problem.buffers)
    for name in sorted(set(planner_names()) - {"cp-sat", "omnimalloc"}):
        try:
            before = plan(without, name).weighted_peaks
        except (ProblemError, PlanInfeasibleError):
            continue
        assert plan(problem, name).weighted_peaks <= before, name
