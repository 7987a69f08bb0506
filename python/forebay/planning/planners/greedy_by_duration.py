"""Greedy by duration: the longest lifetime first, each in the lowest hole."""

from __future__ import annotations

from forebay.planning.search.ordered import OrderedPlanner
from forebay.planning.search.orders import by_duration
from forebay.planning.search.stack import Ints, Stack


class GreedyByDuration(OrderedPlanner):
    """Buffers with long lifetimes get low offsets; short-lived buffers are placed above them."""

    name = "greedy-by-duration"

    def _order(self, stack: Stack) -> Ints:
        return by_duration(stack)
