"""Local search on the order of placement, for problems whose conflicts are a general graph.

The search keeps a swap in the order when the plan does not get worse, as `hill_climb` of TVM USMP
does. The number of swaps is limited, and the random numbers are the same in every run.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from forebay.planning.contract.bounds import lower_bound
from forebay.planning.contract.planner import Answer
from forebay.planning.contract.value import value_of
from forebay.planning.model.errors import PlanInfeasibleError
from forebay.planning.search.fit import place_in_order
from forebay.planning.search.items import Items
from forebay.planning.search.orders import orders
from forebay.planning.search.stack import whole_stack

Score = tuple[int, int, int, int]


def climb(items: Items, swaps: int) -> Answer:
    """Return the best plan that the search finds when it starts from the best greedy order.

    Raises `PlanInfeasibleError` when it finds no plan.
    """
    whole = whole_stack(items)
    starts = [order(whole).tolist() for order in orders().values()]
    tried = [(_attempt(items, order), order) for order in starts]
    (value, answer), order = min(tried, key=lambda found: found[0][0])
    random, floor = Random(1), _floor(items)
    for _ in range(swaps if len(order) > 1 else 0):
        if value <= floor:
            break
        changed = _move(random, order)
        new_value, new_answer = _attempt(items, changed)
        if new_value <= value:
            value, answer, order = new_value, new_answer, changed
    if isinstance(answer, PlanInfeasibleError):
        raise answer
    return answer


def _floor(items: Items) -> Score:
    """Return a lower bound on the value of every plan.

    It uses the cost of the cheapest pool of each item, and the peak bounds of the items that have
    only one candidate pool.
    """
    problem = items.problem
    cost = sum(min(candidate.cost for candidate in item.candidates) for item in items.all)
    peaks = sum(pool.weight * lower_bound(problem, pool).bytes for pool in problem.pools)
    return 0, cost, peaks, 0


def _attempt(items: Items, order: Sequence[int]) -> tuple[Score, Answer | PlanInfeasibleError]:
    """Place the items in this order; return the value of the result and the result.

    The value is (excess bytes, cost, weighted peaks, penalty); the result is an answer, or an error
    when the items do not fit.
    """
    try:
        answer = place_in_order(items, order)
    except PlanInfeasibleError as failure:
        return (failure.excess, 0, 0, 0), failure
    return (0, *value_of(items.problem, answer)), answer


def _move(random: Random, order: Sequence[int]) -> list[int]:
    """Return the order with one item moved to another position or two items swapped."""
    changed = list(order)
    source, target = random.randrange(len(order)), random.randrange(len(order))
    if random.random() < 0.5:
        changed.insert(target, changed.pop(source))
    else:
        changed[source], changed[target] = changed[target], changed[source]
    return changed
