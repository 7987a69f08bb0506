"""The contract of every planner: check the problem, place the buffers, verify the plan."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from forebay.planning.contract.answer import settled
from forebay.planning.contract.effort import Effort
from forebay.planning.contract.feasible import check_feasible
from forebay.planning.contract.verify import verify
from forebay.planning.model.errors import InvalidAnswerError, PlannerFailedError, PlanningError
from forebay.planning.model.plan import Placement, Plan, ProvedBound
from forebay.planning.model.problem import Problem
from forebay.support.user_code import error_summary, location_of

Answer = Mapping[str, Placement]


class Proof(Struct, frozen=True):
    """An answer together with the lower bounds that the planner proved during its search."""

    placements: Answer
    proved: tuple[ProvedBound, ...]


def _check_claims(plan: Plan) -> None:
    for claim in plan.proved:
        if claim.bytes > plan.peak(claim.pool):
            raise InvalidAnswerError(
                f"planner '{plan.planner}' claims that no plan of pool '{claim.pool}' ends below "
                f"{claim.bytes:,}, but its own ends at {plan.peak(claim.pool):,}",
                pools=[claim.pool],
            )


class Planner(ABC):
    """A planner, which turns a problem into a plan; subclasses define `name` and `_place`."""

    name: str

    def __init__(self, effort: Effort = Effort.NORMAL) -> None:
        self.effort = effort

    def plan(self, problem: Problem) -> Plan:
        """Return a verified plan.

        Raises `ProblemError` when the problem contradicts itself, `PlanInfeasibleError` when the
        buffers do not fit, a subclass of `PlanRefusedError` when the answer of `_place` is wrong,
        and `PlannerFailedError` when user code in `_place` raises an exception.
        """
        problem.check()
        check_feasible(problem)
        try:
            answer: Any = self._place(problem)
        except PlanningError:
            raise
        except Exception as error:
            place = location_of(error)
            if place is None:
                raise  # a bug of Forebay, not of user code
            what = f"planner '{self.name}' crashed: {error_summary(error)}"
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
        """Return a placement for every buffer; raise `PlanInfeasibleError` if none is found."""
