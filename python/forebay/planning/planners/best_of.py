"""The better of `greedy-by-size` and `first-fit`."""

from __future__ import annotations

from collections.abc import Mapping

from forebay.planning.contract.planner import Planner
from forebay.planning.contract.value import best_of
from forebay.planning.model.plan import Placement
from forebay.planning.model.problem import Problem
from forebay.planning.planners.first_fit import FirstFit
from forebay.planning.planners.greedy_by_size import GreedyBySize


class BestOf(Planner):
    """Neither order wins everywhere: size packs CNNs well, execution order packs chains well."""

    name = "best-of"

    def _place(self, problem: Problem) -> Mapping[str, Placement]:
        planners = (GreedyBySize(), FirstFit())
        return best_of(problem, [lambda p=p: p.plan(problem).placements for p in planners])
