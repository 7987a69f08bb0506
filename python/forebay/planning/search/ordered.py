"""The base class of planners that differ only in the order of placement."""

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
    """First fit in the order of a subclass; each item uses its first candidate pool with space."""

    @abstractmethod
    def _order(self, stack: Stack) -> Ints:
        """Return the positions of the stack in the order of placement."""

    def _place(self, problem: Problem) -> Mapping[str, Placement]:
        items = items_of(problem)
        if not items.all:
            return {}
        return place_in_order(items, self._order(whole_stack(items)).tolist())
