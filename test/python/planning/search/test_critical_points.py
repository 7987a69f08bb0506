from forebay.planning import Buffer, Pool, Problem, live
from forebay.planning.search.critical_points import (
    UNLIMITED_BYTES,
    CriticalPoints,
    critical_points_of,
)
from forebay.planning.search.items import items_of

BOTH = ("fast", "slow")


def points(limit: int, *buffers: Buffer) -> CriticalPoints:
    items = items_of(Problem((Pool("fast", capacity=limit), Pool("slow")), buffers))
    return critical_points_of(items, {0: limit})


# tick  0   1   2   3   4   5
# a 6   [       ]
# b 5       [       ]
# c 4               [       ]
# d 3                   [   ]
BUFFERS = (
    Buffer("a", 6, live(0, 2), BOTH),
    Buffer("b", 5, live(1, 3), BOTH),
    Buffer("c", 4, live(3, 5), BOTH),
    Buffer("d", 3, live(4, 5), BOTH),
)


def test_only_points_that_could_exceed_a_limit_count():
    # a and b are 11 bytes at tick 1; c and d are 7 at tick 4, which fit into 8
    found = points(8, *BUFFERS)
    assert (found.first, found.last) == ([0, 0, -1, -1], [0, 0, -1, -1])
    assert found.started == [[0, 1]]  # the largest first
    assert found.limits.tolist() == [[8], [UNLIMITED_BYTES]]


def test_points_are_in_time_order():
    found = points(6, *BUFFERS)
    assert (found.first, found.last) == ([0, 0, 1, 1], [0, 0, 1, 1])


def test_loads_are_bytes_by_pool_and_point():
    found = points(6, *BUFFERS)
    fast, slow = ([item.candidates[pool] for item in found.items.all] for pool in (0, 1))
    assert found.loads(fast, [0, 1, 2]).tolist() == [[11, 4], [0, 0]]
    assert found.loads([slow[0], *fast[1:]], range(4)).tolist() == [[5, 7], [6, 0]]


def test_a_pool_that_is_smaller_than_an_item_is_no_candidate():
    found = points(5, *BUFFERS)
    assert [[r.pool for r in item.candidates] for item in found.items.all][:2] == [[1], [0, 1]]
