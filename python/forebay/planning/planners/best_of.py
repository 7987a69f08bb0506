"""The better of `greedy-by-size` and `first-fit`."""

from __future__ import annotations

from collections.abc import Mapping

from forebay.planning.plan import Placement
from forebay.planning.planner import Planner
from forebay.planning.planners.first_fit import FirstFit
from forebay.planning.planners.greedy_by_size import GreedyBySize
from forebay.planning.problem import Problem
from forebay.planning.value import best_of


class BestOf(Planner):
    """Neither order wins everywhere: size packs CNNs well, execution order packs chains well."""

    name = "best-of"

    def _place(self, problem: Problem) -> Mapping[str, Placement]:
        planners = (GreedyBySize(), FirstFit())
        return best_of(problem, [lambda p=p: p.plan(problem).placements for p in planners])
