"""Longest life first, each into the lowest hole."""

from __future__ import annotations

from forebay.planning.search.ordered import OrderedPlanner
from forebay.planning.search.orders import by_duration
from forebay.planning.search.stack import Ints, Stack


class GreedyByDuration(OrderedPlanner):
    """Long lives make the floor that short ones are stacked on."""

    name = "greedy-by-duration"

    def _order(self, stack: Stack) -> Ints:
        return by_duration(stack)
