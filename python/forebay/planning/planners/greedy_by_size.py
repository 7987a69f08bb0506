"""Largest buffer first, each into the lowest hole."""

from __future__ import annotations

from forebay.planning.search.ordered import OrderedPlanner
from forebay.planning.search.orders import by_usmp_size
from forebay.planning.search.stack import Ints, Stack


class GreedyBySize(OrderedPlanner):
    """TVM USMP's `greedy_by_size`, its ties included."""

    name = "greedy-by-size"

    def _order(self, stack: Stack) -> Ints:
        return by_usmp_size(stack)
