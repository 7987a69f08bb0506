"""Largest buffer first, each into the lowest hole."""

from __future__ import annotations

from collections.abc import Mapping

from forebay.planning.fit import place_in_order
from forebay.planning.items import items_of
from forebay.planning.plan import Placement
from forebay.planning.planner import Planner
from forebay.planning.problem import Problem


class GreedyBySize(Planner):
    """Order of TVM USMP's and TFLite's `greedy_by_size`; equal sizes go in execution order."""

    name = "greedy-by-size"

    def _place(self, problem: Problem) -> Mapping[str, Placement]:
        items = items_of(problem)
        order = sorted(
            range(len(items.all)), key=lambda i: (-items.all[i].size, items.all[i].start, i)
        )
        return place_in_order(items, order)
