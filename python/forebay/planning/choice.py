"""The one rule that says which of several plans is the best."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from forebay.planning.errors import PlanInfeasibleError
from forebay.planning.plan import Placement, Plan
from forebay.planning.planner import Planner
from forebay.planning.problem import Problem


def value_of(plan: Plan) -> tuple[int, int]:
    """What plans are compared by: cost of spilling, then weighted peaks; lower is better."""
    return plan.cost, plan.weighted_peaks


def best_of(problem: Problem, planners: Iterable[Planner]) -> Mapping[str, Placement]:
    """The best answer of several planners, the first of equals.

    Raises the `PlanInfeasibleError` with the smallest excess when none finds a plan.
    """
    plans: list[Plan] = []
    failures: list[PlanInfeasibleError] = []
    for planner in planners:
        try:
            plans.append(planner.plan(problem))
        except PlanInfeasibleError as failure:
            failures.append(failure)
    if not plans:
        raise min(failures, key=lambda failure: failure.excess)
    return min(plans, key=value_of).placements
