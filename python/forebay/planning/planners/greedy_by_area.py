"""Greedy by area: the largest product of bytes and lifetime first, each in the lowest hole."""

from __future__ import annotations

from forebay.planning.search.ordered import OrderedPlanner
from forebay.planning.search.orders import by_area
from forebay.planning.search.stack import Ints, Stack


class GreedyByArea(OrderedPlanner):
    """Size and duration combined: a large buffer with a short lifetime is placed later."""

    name = "greedy-by-area"

    def _order(self, stack: Stack) -> Ints:
        return by_area(stack)
