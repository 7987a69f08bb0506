"""Greedy by size: the largest buffer first, each in the lowest hole."""

from __future__ import annotations

from forebay.planning.search.ordered import OrderedPlanner
from forebay.planning.search.orders import by_usmp_size
from forebay.planning.search.stack import Ints, Stack


class GreedyBySize(OrderedPlanner):
    """The algorithm `greedy_by_size` of TVM USMP, with the same tie-breaking."""

    name = "greedy-by-size"

    def _order(self, stack: Stack) -> Ints:
        return by_usmp_size(stack)
