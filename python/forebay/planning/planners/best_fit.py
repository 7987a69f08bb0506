"""Best fit: buffers in execution order, each in the smallest hole that is large enough."""

from __future__ import annotations

from forebay.planning.contract.planner import Answer, Planner
from forebay.planning.model.problem import Problem
from forebay.planning.search.fit import place_in_order
from forebay.planning.search.holes import smallest_hole
from forebay.planning.search.items import items_of
from forebay.planning.search.orders import by_start
from forebay.planning.search.stack import whole_stack


class BestFit(Planner):
    """The algorithm of IREE's LayoutSlices and of MLIR's static memory planner."""

    name = "best-fit"

    def _place(self, problem: Problem) -> Answer:
        items = items_of(problem)
        if not items.all:
            return {}
        return place_in_order(items, by_start(whole_stack(items)).tolist(), smallest_hole)
