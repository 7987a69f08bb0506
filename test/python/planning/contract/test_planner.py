"""The contract of a planner, on planners that break it in one way each."""

from typing import Any

import pytest

from forebay.planning import Buffer, Placement, Planner, Pool, Problem, ProblemError, live
from forebay.planning.contract.planner import Proof
from forebay.planning.model.errors import (
    InvalidAnswerError,
    OverlapError,
    PlanInfeasibleError,
    PlannerFailedError,
)
from forebay.planning.model.plan import ProvedBound

BUFFERS = tuple(Buffer(name, 4, live(0, 1), ("ram",)) for name in "ab")
PROBLEM = Problem((Pool("ram", capacity=16),), BUFFERS)
RIGHT = {"a": Placement("ram", 0), "b": Placement("ram", 4)}


class Answers(Planner):
    """Answers what it is given, or raises it."""

    name = "answers"

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self.answer = answer
        self.asked = 0

    def _place(self, problem: Problem) -> Any:
        self.asked += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def test_a_right_answer_is_a_plan_of_its_planner():
    found = Answers({"a": ("ram", 0), "b": ("ram", 4)}).plan(PROBLEM)
    assert (found.placements, found.planner, found.proved) == (RIGHT, "answers", ())


def test_a_proof_keeps_its_bounds():
    claim = ProvedBound("ram", 8, "search")
    assert Answers(Proof(RIGHT, (claim,))).plan(PROBLEM).proved == (claim,)


def test_a_bound_above_the_plan_is_refused():
    with pytest.raises(InvalidAnswerError, match="no plan of pool 'ram' ends below 9"):
        Answers(Proof(RIGHT, (ProvedBound("ram", 9, "search"),))).plan(PROBLEM)


def test_every_answer_is_verified():
    with pytest.raises(OverlapError):
        Answers({"a": ("ram", 0), "b": ("ram", 3)}).plan(PROBLEM)


def test_an_error_in_code_of_the_user_names_its_line():
    with pytest.raises(PlannerFailedError) as caught:
        Answers(KeyError("x")).plan(PROBLEM)
    assert caught.value.place is not None
    assert caught.value.place.file.endswith("test_planner.py")
    assert "KeyError: 'x'" in str(caught.value)


def test_errors_of_planning_pass_through():
    with pytest.raises(PlanInfeasibleError):
        Answers(PlanInfeasibleError("ram", 20, 16)).plan(PROBLEM)


@pytest.mark.parametrize(
    ("buffers", "error"),
    [
        ((*BUFFERS, BUFFERS[0]), ProblemError),
        ((*BUFFERS, Buffer("c", 12, live(0, 1), ("ram",))), PlanInfeasibleError),
    ],
)
def test_a_planner_is_not_asked_for_what_no_plan_can_be(
    buffers: tuple[Buffer, ...], error: type[Exception]
):
    planner = Answers(RIGHT)
    with pytest.raises(error):
        planner.plan(Problem((Pool("ram", capacity=16),), buffers))
    assert planner.asked == 0
