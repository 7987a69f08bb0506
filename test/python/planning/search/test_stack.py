import pytest

from forebay.planning import Buffer, ByteRange, Interval, Kind, Pool, Problem, live
from forebay.planning.search.items import items_of
from forebay.planning.search.stack import NO_PIN, stack_of, whole_stack

RAM = Pool("ram")


def chain(*more: Buffer, conflicts: tuple[tuple[str, str], ...] = ()):
    buffers = (
        Buffer("a", 4, live(0, 30), ("ram",)),
        Buffer("b", 8, live(10, 20), ("ram",), 16),
        Buffer("c", 2, live(20, 40), ("ram",), pinned_offset=64),
    )
    return whole_stack(items_of(Problem((RAM,), (*buffers, *more), conflicts)))


def test_arrays_are_by_position():
    stack = chain()
    assert stack.sizes.tolist() == [4, 8, 2]
    assert stack.alignments.tolist() == [1, 16, 1]
    assert stack.pins.tolist() == [NO_PIN, NO_PIN, 64]
    assert (stack.starts.tolist(), stack.ends.tolist()) == ([0, 10, 20], [30, 20, 40])


def test_lifetimes_become_ranks_of_ticks():
    begins, ends = chain().lives  # ticks 0, 10, 20, 30, 40
    assert (begins.tolist(), ends.tolist()) == ([0, 1, 2], [3, 2, 4])


def test_lifetimes_that_touch_do_not_conflict():
    stack = chain()
    assert [row.tolist() for row in stack.conflicts] == [[1, 2], [0], [0]]
    assert stack.degrees.tolist() == [2, 1, 1]


def test_what_is_always_live_meets_everything():
    stack = chain(Buffer("k", 1, (), ("ram",), kind=Kind.STATE))
    assert stack.linear
    assert stack.conflicts[3].tolist() == [0, 1, 2]
    assert stack.degrees.tolist() == [3, 2, 2, 3]


@pytest.mark.parametrize(
    "other",
    [
        {"more": (Buffer("d", 1, (Interval(0, 1), Interval(35, 36)), ("ram",)),)},
        {"conflicts": (("b", "c"),)},
    ],
)
def test_a_stack_with_gaps_or_pairs_is_a_general_graph(other: dict):
    stack = chain(*other.get("more", ()), conflicts=other.get("conflicts", ()))
    assert not stack.linear
    assert stack.degrees.tolist() == [len(row) for row in stack.conflicts]
    assert stack.spans.tolist() == stack.degrees.tolist()


def test_reserved_ranges_are_merged():
    ranges = (ByteRange(30, 40), ByteRange(0, 8), ByteRange(8, 12), ByteRange(35, 38))
    problem = Problem((Pool("ram", reserved=ranges),), (Buffer("a", 1, live(0, 1), ("ram",)),))
    assert whole_stack(items_of(problem)).reserved.tolist() == [[0, 12], [30, 40]]


def test_a_stack_of_some_items_numbers_them_anew():
    pools = (Pool("fast"), Pool("slow", unit=8))
    buffers = tuple(Buffer(name, 5, live(0, 9), ("fast", "slow")) for name in "abc")
    stack = stack_of(items_of(Problem(pools, buffers)), 1, [2, 0])
    assert stack.pool.name == "slow"
    assert [stack.item(position).members for position in range(2)] == [("c",), ("a",)]
    assert stack.sizes.tolist() == [8, 8]
    assert [row.tolist() for row in stack.conflicts] == [[1], [0]]
