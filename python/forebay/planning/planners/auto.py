"""The default planner."""

from __future__ import annotations

from forebay.planning.items import items_of
from forebay.planning.joint import place_jointly
from forebay.planning.planner import Planner, Proof
from forebay.planning.problem import Problem


class Auto(Planner):
    """Cheap first: greedy orders, then exact search where they miss the bound."""

    name = "auto"

    def _place(self, problem: Problem) -> Proof:
        return place_jointly(items_of(problem), self.effort.steps)
