from forebay.planning import Buffer, Pool, Problem, live
from forebay.planning.search.items import items_of
from forebay.planning.search.knapsack import ChosenPools, choose_pools

BOTH = ("fast", "slow")


def chosen(limit: int, *buffers: Buffer, width: int = 50, swaps: int = 20) -> ChosenPools:
    items = items_of(Problem((Pool("fast", capacity=limit), Pool("slow")), buffers))
    choice = choose_pools(items, {0: limit}, width, swaps)
    assert choice is not None
    return choice


def test_the_cheapest_set_leaves():
    # tick:  0  1  2    a 6, b 5 at [0,2); c 4 at [1,3): at 1 are 15 bytes, 9 fit: b and c stay
    choice = chosen(
        9,
        Buffer("a", 6, live(0, 2), BOTH),
        Buffer("b", 5, live(0, 2), BOTH),
        Buffer("c", 4, live(1, 3), BOTH),
    )
    assert [room.pool for room in choice.candidates] == [1, 0, 0]
    assert (choice.cost, choice.bound) == (6, 6)


def test_one_that_meets_two_leaves_before_both():
    # a of 6 lives with b, then with c, both of 5: it leaves for 6 instead of 10
    choice = chosen(
        10,
        Buffer("a", 6, live(0, 4), BOTH),
        Buffer("b", 5, live(0, 2), BOTH),
        Buffer("c", 5, live(2, 4), BOTH),
    )
    assert (choice.cost, choice.bound) == (6, 6)


def test_what_no_limit_holds_lives_elsewhere_at_its_cost():
    choice = chosen(8, Buffer("a", 9, live(0, 1), BOTH), Buffer("b", 8, live(0, 1), BOTH))
    assert [room.pool for room in choice.candidates] == [1, 0]
    assert (choice.cost, choice.bound) == (9, 9)


def test_a_narrow_beam_keeps_its_bound_and_swaps_mend_its_choice():
    # eight of 3, limit 7: two of them stay, 18 bytes leave; a beam of one state sends all away
    buffers = [Buffer(f"b{i}", 3, live(0, 2), BOTH) for i in range(8)]
    narrow = chosen(7, *buffers, width=1, swaps=0)
    assert (narrow.cost, narrow.bound) == (24, 18)
    mended = chosen(7, *buffers, width=1, swaps=20)
    assert (mended.cost, mended.bound) == (18, 18)
