"""The contract of every planner: check the problem, place the buffers, verify the plan."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from forebay.planning.feasible import check_feasible
from forebay.planning.plan import Placement, Plan, ProvedBound
from forebay.planning.problem import Problem
from forebay.planning.verify import verify


class Planner(ABC):
    """Turns a problem into a plan; a subclass says its `name` and how to `_place`."""

    name: ClassVar[str]

    def plan(self, problem: Problem) -> Plan:
        """A verified plan.

        Raises `ProblemError` for a contradictory problem, `PlanInfeasibleError` if the buffers do
        not fit, and the `PlanRefusedError` that fits if `_place` answers wrongly.
        """
        problem.check()
        check_feasible(problem)
        plan = Plan(problem, self._place(problem), self.name, self._proved(problem))
        verify(plan)
        return plan

    @abstractmethod
    def _place(self, problem: Problem) -> Mapping[str, Placement]:
        """A placement for every buffer; raises `PlanInfeasibleError` if it finds none."""

    def _proved(self, _: Problem) -> tuple[ProvedBound, ...]:
        """Bounds that the planner proved on the way; none by default."""
        return ()
