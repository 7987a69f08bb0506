import pytest

from forebay.planning import Buffer, PlanInfeasibleError, Pool, Problem, live
from forebay.planning.core.library import available
from forebay.planning.search.exact import lowest_offsets
from forebay.planning.search.items import items_of
from forebay.planning.search.stack import whole_stack
from forebay.planning.search.stacks import bound_of, end_of

needs_core = pytest.mark.skipif(not available(), reason="the compiled core is not built")


@needs_core
def test_search_proves_that_alignment_costs_bytes():
    # two of 3 bytes at multiples of 4 and one of 6: 0, 4, [8, 14); the cheap bound is 13
    buffers = (
        Buffer("a", 3, live(0, 1), ("ram",), 4),
        Buffer("b", 3, live(0, 1), ("ram",), 4),
        Buffer("c", 6, live(0, 1), ("ram",), 2),
    )
    whole = whole_stack(items_of(Problem((Pool("ram"),), buffers)))
    answer = lowest_offsets(whole, 10**6)
    assert bound_of(whole).bytes == 13
    assert (end_of(whole, answer.offsets), answer.proved) == (14, 14)


def test_a_placement_that_is_low_enough_ends_the_search():
    # greedy by size: c [0, 6), a and b beside it at 6, d on top of both: 12
    sizes = {"a": (4, 0, 2), "b": (4, 3, 5), "c": (6, 1, 4), "d": (2, 0, 5)}
    buffers = tuple(Buffer(n, s, live(b, e), ("ram",)) for n, (s, b, e) in sizes.items())
    whole = whole_stack(items_of(Problem((Pool("ram"),), buffers)))
    answer = lowest_offsets(whole, steps=0, enough=20)
    assert end_of(whole, answer.offsets) <= 20
    assert answer.proved == bound_of(whole).bytes == 12


def test_a_stack_above_its_capacity_is_refused():
    buffers = tuple(Buffer(name, 6, live(0, 1), ("ram",)) for name in "ab")
    whole = whole_stack(items_of(Problem((Pool("ram", capacity=11),), buffers)))
    with pytest.raises(PlanInfeasibleError) as caught:
        lowest_offsets(whole, 10**6)
    assert (caught.value.pool, caught.value.excess, caught.value.proved) == ("ram", 1, True)
