"""Execution order, each buffer into the lowest hole."""

from __future__ import annotations

from forebay.planning.search.ordered import OrderedPlanner
from forebay.planning.search.orders import by_start
from forebay.planning.search.stack import Ints, Stack


class FirstFit(OrderedPlanner):
    """What IREE's LayoutSlices does: the order in which buffers are born."""

    name = "first-fit"

    def _order(self, stack: Stack) -> Ints:
        return by_start(stack)
