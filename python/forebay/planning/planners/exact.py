"""Branch and bound with alignments, pinned offsets, reserved bytes and general conflicts."""

from __future__ import annotations

from forebay.planning.contract.planner import Planner, Proof
from forebay.planning.model.problem import Problem
from forebay.planning.search.items import items_of
from forebay.planning.search.joint import place_jointly


class Exact(Planner):
    """The lowest spilling cost first, then the lowest peak per pool.

    The peak is proved to be optimal if the work limit is sufficient.
    """

    name = "exact"

    def _place(self, problem: Problem) -> Proof:
        return place_jointly(items_of(problem), self.effort.steps)
