"""The default planner."""

from __future__ import annotations

from collections.abc import Mapping

from forebay.planning.choice import best_of
from forebay.planning.plan import Placement
from forebay.planning.planner import Planner
from forebay.planning.planners.first_fit import FirstFit
from forebay.planning.planners.greedy_by_size import GreedyBySize
from forebay.planning.problem import Problem


class Auto(Planner):
    """Cheap first."""

    name = "auto"

    def _place(self, problem: Problem) -> Mapping[str, Placement]:
        return best_of(problem, (GreedyBySize(), FirstFit()))
