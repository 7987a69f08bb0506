"""The objective: the rule that decides which of several plans is the best."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from forebay.planning.contract.planner import Answer
from forebay.planning.model.errors import PlanInfeasibleError
from forebay.planning.model.plan import Plan
from forebay.planning.model.problem import Problem

PlanValue = tuple[int, int, int]


def value_of(problem: Problem, answer: Answer) -> PlanValue:
    """Return the objective of an answer: (spilling cost, weighted peaks, penalty); lower is better.

    The three numbers are compared in this order.
    """
    plan = Plan(problem, answer, "")
    return plan.cost, plan.weighted_peaks, plan.penalty


def best_of(problem: Problem, attempts: Iterable[Callable[[], Answer]]) -> Answer:
    """Return the best answer of several attempts; the first one on a tie.

    Raises the `PlanInfeasibleError` with the smallest excess when no attempt finds a plan.
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
