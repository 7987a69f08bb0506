"""Greedy by conflicts: the buffer with the most conflicts first, each in the lowest hole."""

from __future__ import annotations

from forebay.planning.search.ordered import OrderedPlanner
from forebay.planning.search.orders import by_usmp_conflicts
from forebay.planning.search.stack import Ints, Stack


class GreedyByConflicts(OrderedPlanner):
    """The algorithm `greedy_by_conflicts` of TVM USMP, with the same tie-breaking."""

    name = "greedy-by-conflicts"

    def _order(self, stack: Stack) -> Ints:
        return by_usmp_conflicts(stack)
