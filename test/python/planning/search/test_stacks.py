import numpy as np
import pytest

from forebay.planning import Buffer, PlanInfeasibleError, Pool, Problem, live
from forebay.planning.search.items import items_of
from forebay.planning.search.stack import whole_stack
from forebay.planning.search.stacks import best_order, bound_of, end_of, place_stacks, stacks_of

BOTH = ("fast", "slow")
ITEMS = items_of(
    Problem(
        (Pool("fast", capacity=8), Pool("slow")),
        tuple(Buffer(n, s, live(0, 2), BOTH) for n, s in (("a", 6), ("b", 5), ("c", 4))),
    )
)
CHOICE = [ITEMS.all[0].candidates[1], ITEMS.all[1].candidates[0], ITEMS.all[2].candidates[1]]


def test_each_pool_is_a_stack_of_its_items():
    found = stacks_of(ITEMS, CHOICE)
    assert [(pool, stack.pool.name, stack.members) for pool, stack in found] == [
        (0, "fast", (1,)),
        (1, "slow", (0, 2)),
    ]
    assert [bound_of(stack).bytes for _, stack in found] == [5, 10]


def test_offsets_of_all_stacks_are_one_plan():
    places = place_stacks(ITEMS, CHOICE, lambda stack: stack.sizes.cumsum() - stack.sizes)
    assert {name: tuple(place) for name, place in places.items()} == {
        "a": ("slow", 0),
        "b": ("fast", 0),
        "c": ("slow", 6),
    }


def test_a_placement_above_the_capacity_is_refused():
    with pytest.raises(PlanInfeasibleError) as caught:
        place_stacks(ITEMS, CHOICE, lambda stack: np.full(len(stack.members), 4))
    assert (caught.value.pool, caught.value.needed) == ("fast", 9)


def test_the_best_order_of_a_stack_ends_lowest():
    # by execution order: a [0, 2), b [2, 8), c above b: 14; largest first: c [0, 6), b beside a
    sizes = {"a": (2, 0, 2), "b": (6, 1, 3), "c": (6, 2, 4)}
    buffers = tuple(Buffer(n, s, live(b, e), ("ram",)) for n, (s, b, e) in sizes.items())
    stack = whole_stack(items_of(Problem((Pool("ram"),), buffers)))
    assert end_of(stack, best_order(stack, 0)) == 12
