"""Execution order, each buffer into the lowest hole."""

from __future__ import annotations

from collections.abc import Mapping

from forebay.planning.fit import place_in_order
from forebay.planning.items import items_of
from forebay.planning.plan import Placement
from forebay.planning.planner import Planner
from forebay.planning.problem import Problem


class FirstFit(Planner):
    """What an allocator at run time would do that knows no future."""

    name = "first-fit"

    def _place(self, problem: Problem) -> Mapping[str, Placement]:
        items = items_of(problem)
        order = sorted(range(len(items.all)), key=lambda i: (items.all[i].start, i))
        return place_in_order(items, order)
