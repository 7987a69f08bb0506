"""A planner that is nothing but an order."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping

from forebay.planning.contract.planner import Planner
from forebay.planning.model.plan import Placement
from forebay.planning.model.problem import Problem
from forebay.planning.search.fit import place_in_order
from forebay.planning.search.items import items_of
from forebay.planning.search.stack import Ints, Stack, whole_stack


class OrderedPlanner(Planner):
    """First fit in the order that a subclass gives, first candidate pool that fits."""

    @abstractmethod
    def _order(self, stack: Stack) -> Ints:
        """The positions of the stack in the order of placement."""

    def _place(self, problem: Problem) -> Mapping[str, Placement]:
        items = items_of(problem)
        if not items.all:
            return {}
        return place_in_order(items, self._order(whole_stack(items)).tolist())
