"""Largest product of bytes and life first, each into the lowest hole."""

from __future__ import annotations

from forebay.planning.search.ordered import OrderedPlanner
from forebay.planning.search.orders import by_area
from forebay.planning.search.stack import Ints, Stack


class GreedyByArea(OrderedPlanner):
    """Size and duration at once: a large buffer that dies soon can wait."""

    name = "greedy-by-area"

    def _order(self, stack: Stack) -> Ints:
        return by_area(stack)
