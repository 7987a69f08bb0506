import pytest

from forebay.planning import Buffer, PlanInfeasibleError, Pool, Problem, live
from forebay.planning.model.plan import Plan
from forebay.planning.search.climb import climb
from forebay.planning.search.items import items_of
from forebay.planning.search.orders import orders
from forebay.planning.search.stack import whole_stack
from forebay.planning.search.stacks import best_order, end_of


def problem(seed: int) -> Problem:
    """Buffers with conflicts that no lifetimes say."""
    sizes = [(7 * i + 3 * seed) % 11 + 1 for i in range(9)]
    pairs = tuple(
        (f"b{i}", f"b{j}") for i in range(9) for j in range(i) if (i * j + seed + i) % 5 < 2
    )
    buffers = tuple(Buffer(f"b{i}", size, (), ("ram",)) for i, size in enumerate(sizes))
    return Problem((Pool("ram"),), buffers, pairs)


@pytest.mark.parametrize("seed", range(6))
def test_swaps_make_no_greedy_plan_worse(seed: int):
    items = items_of(problem(seed))
    peaks = [Plan(items.problem, climb(items, swaps), "").peak("ram") for swaps in (0, 50, 400)]
    assert peaks == sorted(peaks, reverse=True)
    assert peaks[0] == end_of(whole_stack(items), best_order(whole_stack(items), 0))


def test_swaps_find_what_no_order_by_a_rule_finds():
    found = [s for s in range(6) if improved(s)]
    assert found


def improved(seed: int) -> bool:
    items = items_of(problem(seed))
    greedy, climbed = (Plan(items.problem, climb(items, n), "").peak("ram") for n in (0, 400))
    return climbed < greedy


def test_a_problem_without_a_plan_keeps_the_smallest_excess():
    buffers = (Buffer("a", 6, live(0, 1), ("ram",)), Buffer("b", 5, live(0, 1), ("ram",)))
    items = items_of(Problem((Pool("ram", capacity=8),), buffers))
    with pytest.raises(PlanInfeasibleError) as caught:
        climb(items, 20)
    assert caught.value.excess == 3
    assert len(orders()) > 1
