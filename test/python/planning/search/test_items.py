from forebay.planning import Buffer, Interval, Kind, Pool, Problem, live
from forebay.planning.search.items import CandidatePool, items_of

POOLS = (Pool("fast", capacity=64, alignment=8, cost=0), Pool("slow", unit=16, cost=2))
BOTH = ("fast", "slow")


def test_an_alias_group_is_one_item_with_the_union_of_its_lifetimes():
    buffers = (
        Buffer("a", 10, live(0, 2), BOTH, alias="g"),
        Buffer("b", 3, live(0, 9), BOTH),
        Buffer("c", 20, live(2, 4), ("slow", "fast"), 4, alias="g"),
        Buffer("d", 1, live(6, 7), BOTH, alias="g"),
    )
    group, single = items_of(Problem(POOLS, buffers)).all
    assert group.members == ("a", "c", "d")
    assert group.lifetime == (Interval(0, 4), Interval(6, 7))
    assert (group.start, group.duration) == (0, 5)
    # in @slow, sizes are whole rows of 16: 20 bytes take 32; a byte costs 2: 2 * (10 + 20 + 1)
    assert group.candidates == (CandidatePool(0, 20, 8, 0), CandidatePool(1, 32, 16, 62))
    assert single.members == ("b",)


def test_conflicts_are_by_item_and_include_explicit_pairs():
    buffers = (
        Buffer("a", 1, live(0, 2), BOTH, alias="g"),
        Buffer("b", 1, live(1, 3), BOTH),
        Buffer("c", 1, live(5, 6), BOTH, alias="g"),
        Buffer("d", 1, live(8, 9), BOTH),
    )
    items = items_of(Problem(POOLS, buffers, conflicts=(("c", "d"),)))
    assert items.conflicts == [[1, 2], [0], [0]]
    assert not items.linear


def test_constants_conflict_with_everything():
    buffers = (
        Buffer("a", 1, live(0, 1), BOTH),
        Buffer("k", 1, (), BOTH, kind=Kind.CONSTANT),
        Buffer("b", 1, live(5, 6), BOTH),
    )
    items = items_of(Problem(POOLS, buffers))
    assert items.conflicts == [[1], [0, 2], [1]]
    assert items.linear


def test_a_pin_leaves_one_candidate():
    buffers = (
        Buffer("a", 4, live(0, 1), BOTH, pinned_pool="slow", pinned_offset=32),
        Buffer("b", 4, live(0, 1), ("fast",)),
    )
    items = items_of(Problem(POOLS, buffers))
    assert [candidate.pool for candidate in items.all[0].candidates] == [1]
    assert items.all[0].offset == 32
    assert items.settled
    assert (items.in_pool(0), items.in_pool(1)) == ([1], [0])
