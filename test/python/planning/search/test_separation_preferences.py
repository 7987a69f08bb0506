from forebay.planning import Buffer, Pool, Problem, Separation, live
from forebay.planning.search.items import items_of
from forebay.planning.search.separation_preferences import separations_of
from forebay.planning.search.stack import stack_of, whole_stack

POOLS = (Pool("ram", capacity=64, banks=4), Pool("other"))
BUFFERS = (
    *(Buffer(name, 8, live(i, i + 1), ("ram",)) for i, name in enumerate("abc")),
    Buffer("d", 8, live(0, 1), ("other",)),
)
PROBLEM = Problem(
    POOLS,
    BUFFERS,
    separations=(
        Separation("a", "b", shared_byte=2, same_bank=5),
        Separation("c", "b", shared_byte=1),
        Separation("a", "d", shared_byte=9),
    ),
)


def test_pairs_of_other_pools_do_not_count():
    found = separations_of(stack_of(items_of(PROBLEM), 0, [2, 0, 1]))
    assert [(pair.first, pair.second) for pair in found.pairs] == [(1, 2), (0, 2)]
    assert found.positions == (0, 1, 2)


def test_the_penalty_counts_shared_bytes_and_banks():
    # banks of 16 bytes. a [0, 8), b [4, 12): 4 shared bytes and a bank; c [8, 16), b: 4 bytes
    found = separations_of(stack_of(items_of(PROBLEM), 0, [0, 1, 2]))
    assert found.penalty([0, 4, 8]) == 2 * 4 + 5 + 1 * 4
    assert found.penalty([0, 8, 16]) == 5
    assert found.penalty([0, 16, 32]) == 0


def test_penalties_of_single_items_add_up():
    found = separations_of(stack_of(items_of(PROBLEM), 0, [0, 1, 2]))
    places = {0: 0, 1: 4}
    one = found.penalty_at(1, 4, {0: 0})
    assert one + found.penalty_at(2, 8, places) == found.penalty([0, 4, 8])


def test_a_problem_without_separations_has_none():
    plain = whole_stack(items_of(Problem((Pool("ram"),), (Buffer("a", 1, live(0, 1), ("ram",)),))))
    assert separations_of(plain).pairs == ()
