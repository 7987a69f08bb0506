"""First fit: buffers in execution order, each in the lowest hole that is large enough."""

from __future__ import annotations

from forebay.planning.search.ordered import OrderedPlanner
from forebay.planning.search.orders import by_start
from forebay.planning.search.stack import Ints, Stack


class FirstFit(OrderedPlanner):
    """First fit in the order of allocation, as in IREE's LayoutSlices."""

    name = "first-fit"

    def _order(self, stack: Stack) -> Ints:
        return by_start(stack)
