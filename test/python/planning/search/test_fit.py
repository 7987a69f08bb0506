import pytest

from forebay.planning import Buffer, PlanInfeasibleError, Pool, Problem, live
from forebay.planning.search.fit import place_in_order
from forebay.planning.search.holes import smallest_hole
from forebay.planning.search.items import items_of

BOTH = ("fast", "slow")
POOLS = (Pool("fast", capacity=10), Pool("slow", capacity=12))


def places(order: list[int], *buffers: Buffer, **options) -> dict[str, tuple[str, int]]:
    found = place_in_order(items_of(Problem(POOLS, buffers)), order, **options)
    return {name: (place.pool, place.offset) for name, place in found.items()}


def test_each_item_takes_its_first_pool_with_a_hole():
    buffers = [Buffer(name, 6, live(0, 2), BOTH) for name in "ab"]
    assert places([1, 0], *buffers) == {"b": ("fast", 0), "a": ("slow", 0)}


def test_pins_are_placed_before_all_others():
    a = Buffer("a", 6, live(0, 2), BOTH)
    b = Buffer("b", 6, live(0, 2), BOTH, pinned_pool="fast", pinned_offset=2)
    assert places([0, 1], a, b) == {"a": ("slow", 0), "b": ("fast", 2)}


def test_members_of_an_alias_group_have_one_place():
    a, b = (Buffer(n, 6, live(t, t + 1), BOTH, alias="g") for t, n in enumerate("ab"))
    c = Buffer("c", 4, live(0, 2), BOTH)
    assert places([1, 0], a, b, c) == {"a": ("fast", 4), "b": ("fast", 4), "c": ("fast", 0)}


def test_another_rule_chooses_another_hole():
    # after a dies, b [3, 6) and d [8, 10) leave the holes [0, 3) and [6, 8)
    buffers = (
        Buffer("a", 3, live(0, 2), ("fast",)),
        Buffer("b", 3, live(1, 5), ("fast",)),
        Buffer("d", 2, live(1, 5), ("fast",), pinned_offset=8),
        Buffer("c", 2, live(3, 4), ("fast",)),
    )
    assert places([0, 1, 2, 3], *buffers)["c"] == ("fast", 0)
    pools = (*POOLS, Pool("third"))
    items = items_of(Problem(pools, buffers))
    assert place_in_order(items, [0, 1, 2, 3], smallest_hole)["c"].offset == 6


def test_the_error_is_of_the_pool_with_the_smallest_excess():
    buffers = [Buffer(name, 8, live(0, 2), BOTH) for name in "abc"]
    with pytest.raises(PlanInfeasibleError) as caught:
        places([0, 1, 2], *buffers)
    error = caught.value
    # 16 in @fast are 6 too many, 16 in @slow 4
    assert (error.pool, error.needed, error.excess, error.proved) == ("slow", 16, 4, False)
    assert [live.buffer for live in error.live] == ["c", "b"]
