"""The contract of every planner: check the problem, place the buffers, verify the plan."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from forebay.planning.contract.answer import settled
from forebay.planning.contract.effort import Effort
from forebay.planning.contract.feasible import check_feasible
from forebay.planning.contract.verify import verify
from forebay.planning.model.errors import GarbageError, PlannerFailedError, PlanningError
from forebay.planning.model.plan import Placement, Plan, ProvedBound
from forebay.planning.model.problem import Problem
from forebay.support.user_code import place_of, summary

Answer = Mapping[str, Placement]


@dataclass(frozen=True)
class Proof:
    """An answer together with lower bounds that were proved on the way."""

    placements: Answer
    proved: tuple[ProvedBound, ...]


def _check_claims(plan: Plan) -> None:
    for claim in plan.proved:
        if claim.bytes > plan.peak(claim.pool):
            raise GarbageError(
                f"planner '{plan.planner}' claims that no plan of pool '{claim.pool}' ends below "
                f"{claim.bytes:,}, but its own ends at {plan.peak(claim.pool):,}"
            )


class Planner(ABC):
    """Turns a problem into a plan; a subclass says its `name` and how to `_place`."""

    name: str

    def __init__(self, effort: Effort = Effort.NORMAL) -> None:
        self.effort = effort

    def plan(self, problem: Problem) -> Plan:
        """A verified plan.

        Raises `ProblemError` for a contradictory problem, `PlanInfeasibleError` if the buffers do
        not fit, the `PlanRefusedError` that fits if `_place` answers wrongly, and
        `PlannerFailedError` if it crashes.
        """
        problem.check()
        check_feasible(problem)
        try:
            answer: Any = self._place(problem)
        except PlanningError:
            raise
        except Exception as error:
            place = place_of(error)
            if place is None:
                raise  # a mistake of ours
            what = f"planner '{self.name}' crashed: {summary(error)}"
            raise PlannerFailedError(what, place) from error
        proved: tuple[ProvedBound, ...] = ()
        if isinstance(answer, Proof):
            answer, proved = answer.placements, answer.proved
        plan = Plan(problem, settled(self.name, answer), self.name, proved)
        verify(plan)
        _check_claims(plan)
        return plan

    @abstractmethod
    def _place(self, problem: Problem) -> Answer | Proof:
        """A placement for every buffer; raises `PlanInfeasibleError` if it finds none."""
