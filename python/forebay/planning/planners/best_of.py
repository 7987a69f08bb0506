"""The better plan of `greedy-by-size` and `first-fit`."""

from __future__ import annotations

from collections.abc import Mapping

from forebay.planning.contract.planner import Planner
from forebay.planning.contract.value import best_of
from forebay.planning.model.plan import Placement
from forebay.planning.model.problem import Problem
from forebay.planning.planners.first_fit import FirstFit
from forebay.planning.planners.greedy_by_size import GreedyBySize


class BestOf(Planner):
    """Two orders: size is good for CNNs, execution order is good for chains of operators."""

    name = "best-of"

    def _place(self, problem: Problem) -> Mapping[str, Placement]:
        planners = (GreedyBySize(), FirstFit())
        return best_of(problem, [lambda p=p: p.plan(problem).placements for p in planners])
