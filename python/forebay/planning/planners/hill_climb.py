"""Local search on the order of placement."""

from __future__ import annotations

from forebay.planning.contract.effort import Effort
from forebay.planning.contract.planner import Answer, Planner
from forebay.planning.model.problem import Problem
from forebay.planning.search.climb import climb
from forebay.planning.search.items import items_of

_SWAPS = {Effort.LOW: 60, Effort.NORMAL: 600, Effort.HIGH: 20_000}


class HillClimb(Planner):
    """Hill climbing as in TVM USMP and Arm's Vela: a swap is kept if the plan gets no worse."""

    name = "hill-climb"

    def _place(self, problem: Problem) -> Answer:
        return climb(items_of(problem), _SWAPS[self.effort]) if problem.buffers else {}
