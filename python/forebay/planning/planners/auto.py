"""The default planner."""

from __future__ import annotations

from forebay.planning.contract.planner import Planner, Proof
from forebay.planning.model.problem import Problem
from forebay.planning.search.items import items_of
from forebay.planning.search.joint import place_jointly


class Auto(Planner):
    """Greedy orders first; exact search follows if they do not reach the lower bound."""

    name = "auto"

    def _place(self, problem: Problem) -> Proof:
        return place_jointly(items_of(problem), self.effort.steps)
