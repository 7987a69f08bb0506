"""First fit in every known order; the planner returns the best plan."""

from __future__ import annotations

from collections.abc import Mapping

from forebay.planning.contract.planner import Planner
from forebay.planning.contract.value import best_of
from forebay.planning.model.plan import Placement
from forebay.planning.model.problem import Problem
from forebay.planning.search.fit import place_in_order
from forebay.planning.search.items import Items, items_of
from forebay.planning.search.orders import orders
from forebay.planning.search.stack import Ints, Stack, whole_stack
from forebay.planning.search.stacks import best_order, bound_of, place_stacks


class BestOfOrders(Planner):
    """A portfolio of greedy orders, optimal on most real networks in less than a millisecond."""

    name = "best-of-orders"

    def _place(self, problem: Problem) -> Mapping[str, Placement]:
        return place_best_order(items_of(problem))


def place_best_order(items: Items) -> Mapping[str, Placement]:
    """Place items in the best order.

    When every item has one candidate pool, each pool uses its own best order. Otherwise one order
    serves all pools.
    """
    if items.settled:
        candidates = [item.candidates[0] for item in items.all]
        return place_stacks(items, candidates, _place_stack)
    whole = whole_stack(items)
    sequences = [order(whole).tolist() for order in orders().values()]
    attempts = [lambda s=s: place_in_order(items, s) for s in sequences]
    return best_of(items.problem, attempts)


def _place_stack(stack: Stack) -> Ints:
    return best_order(stack, bound_of(stack).bytes)
