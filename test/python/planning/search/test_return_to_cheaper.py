from forebay.planning import Buffer, Pool, Problem, live
from forebay.planning.search.items import items_of
from forebay.planning.search.return_to_cheaper import return_to_cheaper

BOTH = ("fast", "slow")


def taken_back(limit: int, *buffers: Buffer) -> list[int]:
    """The pools of the buffers, which all begin in the slow pool."""
    items = items_of(Problem((Pool("fast", capacity=limit), Pool("slow")), buffers))
    slow = [item.candidates[1] for item in items.all]
    return [candidate.pool for candidate in return_to_cheaper(items, slow, {0: limit}, 10**5)]


def test_the_largest_saving_comes_first():
    buffers = (Buffer("a", 4, live(0, 2), BOTH), Buffer("b", 6, live(1, 3), BOTH))
    assert taken_back(9, *buffers) == [1, 0]
    assert taken_back(10, *buffers) == [0, 0]


def test_what_fits_by_its_bytes_but_at_no_offset_stays():
    # a and b are at multiples of 4: 3 + 3 bytes end at 7, although 6 fit into 6
    buffers = (Buffer("a", 3, live(0, 1), BOTH, 4), Buffer("b", 3, live(0, 1), BOTH, 4))
    assert taken_back(6, *buffers) == [0, 1]
    assert taken_back(7, *buffers) == [0, 0]
