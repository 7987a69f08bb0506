from collections.abc import Mapping

import pytest

from forebay.planning import Buffer, Placement, PlanInfeasibleError, Pool, Problem, Separation, live
from forebay.planning.contract.value import best_of, value_of

BOTH = ("fast", "slow")
PROBLEM = Problem(
    (Pool("fast", cost=0, weight=3), Pool("slow", cost=2)),
    tuple(Buffer(name, 4, live(0, 1), BOTH) for name in "ab"),
    separations=(Separation("a", "b", same_bank=7),),
)


def at(**places: tuple[str, int]) -> dict[str, Placement]:
    return {name: Placement(*place) for name, place in places.items()}


def test_the_value_is_cost_then_weighted_peaks_then_penalty():
    # b costs 2 per byte in @slow; peaks 4 * 3 + 8
    assert value_of(PROBLEM, at(a=("fast", 0), b=("slow", 4))) == (8, 20, 0)
    assert value_of(PROBLEM, at(a=("fast", 0), b=("fast", 4))) == (0, 24, 7)


def test_the_first_of_the_best_answers_is_taken():
    answers = [
        at(a=("slow", 0), b=("slow", 4)),
        at(a=("fast", 0), b=("fast", 4)),
        at(a=("fast", 4), b=("fast", 0)),
    ]
    assert best_of(PROBLEM, [lambda a=a: a for a in answers]) is answers[1]


def infeasible(needed: int) -> Mapping[str, Placement]:
    raise PlanInfeasibleError("fast", needed, 10)


def test_an_attempt_without_a_plan_does_not_count_beside_others():
    answer = at(a=("slow", 0), b=("slow", 4))
    assert best_of(PROBLEM, [lambda: infeasible(11), lambda: answer]) is answer


def test_the_smallest_excess_is_reported_when_no_attempt_finds_a_plan():
    with pytest.raises(PlanInfeasibleError) as caught:
        best_of(PROBLEM, [lambda n=n: infeasible(n) for n in (14, 12, 19)])
    assert caught.value.excess == 2
