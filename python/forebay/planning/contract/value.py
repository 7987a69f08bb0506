"""The one rule that says which of several plans is the best."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from forebay.planning.contract.planner import Answer
from forebay.planning.model.errors import PlanInfeasibleError
from forebay.planning.model.plan import Plan
from forebay.planning.model.problem import Problem

Value = tuple[int, int, int]


def value_of(problem: Problem, answer: Answer) -> Value:
    """What plans are compared by: cost of spilling, weighted peaks, penalty; lower is better."""
    plan = Plan(problem, answer, "")
    return plan.cost, plan.weighted_peaks, plan.penalty


def best_of(problem: Problem, attempts: Iterable[Callable[[], Answer]]) -> Answer:
    """The best answer of several attempts, the first of equals.

    Raises the `PlanInfeasibleError` with the smallest excess when none finds a plan.
    """
    answers: list[Answer] = []
    failures: list[PlanInfeasibleError] = []
    for attempt in attempts:
        try:
            answers.append(attempt())
        except PlanInfeasibleError as failure:
            failures.append(failure)
    if not answers:
        raise min(failures, key=lambda failure: failure.excess)
    return min(answers, key=lambda answer: value_of(problem, answer))
