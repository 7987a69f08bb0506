"""Branch and bound over alignments, pins, reserved bytes and general conflicts."""

from __future__ import annotations

from forebay.planning.items import items_of
from forebay.planning.joint import place_jointly
from forebay.planning.planner import Planner, Proof
from forebay.planning.problem import Problem


class Exact(Planner):
    """The lowest peak per pool, proved where the budget of work allows; cheapest spilling first."""

    name = "exact"

    def _place(self, problem: Problem) -> Proof:
        return place_jointly(items_of(problem), self.effort.steps)
