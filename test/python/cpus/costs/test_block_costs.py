"""Costs of known candidates: shares of blocks, remainders and borders, and the price of code."""

import pytest
from msgspec import structs

from forebay.cpus.costs.block_costs import BlockCosts
from forebay.cpus.costs.borders import borders_of
from forebay.cpus.costs.steps import distinct
from forebay.cpus.costs.weighted_nest import Candidate, WeightedNest
from forebay.cpus.cpu import Cpu
from forebay.regions import LoopNest, OperandAccess, induction_variables

CPU = Cpu(name="plain", registers=100, step=0, store=0)


def product_of(rows: int, depth: int) -> WeightedNest:
    """Rows times one column, without borders."""
    i, k = induction_variables(2)
    source = OperandAccess((rows, depth), (i, k))
    factors = OperandAccess((depth,), (k,))
    nest = LoopNest((rows,), (depth,), (source, factors), (OperandAccess((rows,), (i,)),))
    return WeightedNest(nest, nest.inputs, (0, 0))


def windows(extent: int) -> WeightedNest:
    """Windows of three elements, one of which is outside at each border."""
    x, k = induction_variables(2)
    source = OperandAccess((extent,), (x + k - 1,), clamped=True)
    factors = OperandAccess((3,), (k,))
    nest = LoopNest((extent,), (3,), (source, factors), (OperandAccess((extent,), (x,)),))
    return WeightedNest(nest, nest.inputs, (0, 0))


def test_a_step_loads_each_distinct_element_once() -> None:
    """One row loads 2 elements for a product; two rows load 3 for two."""
    costs = BlockCosts(product_of(8, 10), CPU)
    assert costs.of(Candidate({})).priced == 10 * (2 + 1)
    assert costs.of(Candidate({0: 2})).priced == 10 * (3 + 2) / 2


def test_a_remainder_is_computed_one_by_one() -> None:
    costs = BlockCosts(product_of(9, 10), CPU)
    assert costs.of(Candidate({0: 2})).priced == pytest.approx((8 * 25 + 30) / 9)


def test_values_without_a_register_cost_at_each_point_or_step() -> None:
    """Of seven values three have no register: two of the loop, and one of the products."""
    few = structs.replace(CPU, registers=4, spill=2)
    whole, spilled = BlockCosts(product_of(8, 8), CPU), BlockCosts(product_of(8, 8), few)
    for steps in (1, 4):
        block = Candidate({0: 2, 1: steps})
        extra = spilled.of(block).priced - whole.of(block).priced
        # Two sums, two elements, two addresses, and the counter of the loop.
        excess = 2 + 2 + 2 + 1 - 4
        assert extra == (2 * 8 / steps + (excess - 2) * 8) * 2 / 2


def test_elements_that_are_used_once_are_loaded_ahead() -> None:
    """A row has its own elements; a compiler with four of them in registers lacks two registers."""
    ahead = structs.replace(CPU, registers=8, spill=2, loaded_ahead=4)
    block = Candidate({0: 2, 1: 4})
    costs = [BlockCosts(product_of(8, 8), cpu).of(block).priced for cpu in (CPU, ahead)]
    # Two sums, one element of the column and four of the rows, two addresses and the counter.
    assert costs[1] - costs[0] == (2 + 1 + 4 + 2 + 1 - 8) * 2 * (8 / 4) / 2


def test_peeled_borders_are_unrolled() -> None:
    weighted, unrolled = windows(8), Candidate({1: 3})
    costs = BlockCosts(weighted, structs.replace(CPU, step=3, peeled=8))
    assert borders_of(weighted.nest, 0) == 2
    assert costs.choices_to_peel(unrolled) == [(0,)]
    assert costs.of(structs.replace(unrolled, peeled=(0,))).priced < costs.of(unrolled).priced


def rows_of_windows() -> WeightedNest:
    """One row at a time of windows of three rows, each of which lies anywhere."""
    own = windows(8)
    return structs.replace(own, varying=frozenset({0}), single=frozenset({0}), rows=frozenset({1}))


def test_a_row_that_varies_has_code_for_windows_inside() -> None:
    """Without it the loop over the rows of the window has limits at all rows."""
    cpu, unrolled = structs.replace(CPU, step=3, peeled=8), Candidate({1: 3})
    costs = BlockCosts(rows_of_windows(), cpu)
    assert costs.choices_to_peel(unrolled) == [(0,)]
    assert costs.of(structs.replace(unrolled, peeled=(0,))).priced < costs.of(unrolled).priced
    assert costs.of(unrolled).priced == costs.of(Candidate({})).priced
    assert costs.choices_to_peel(Candidate({})) == []


def test_a_row_that_lies_anywhere_is_found_at_each_point() -> None:
    near = structs.replace(rows_of_windows(), rows=frozenset())
    costs, others = BlockCosts(rows_of_windows(), CPU), BlockCosts(near, CPU)
    assert costs.of(Candidate({})).priced - others.of(Candidate({})).priced == 3 * 3


def test_each_row_of_an_unrolled_window_has_a_register() -> None:
    near = structs.replace(rows_of_windows(), rows=frozenset())
    cpu, unrolled = structs.replace(CPU, registers=4, peeled=8), Candidate({1: 3}, peeled=(0,))
    anywhere, run = BlockCosts(rows_of_windows(), cpu), BlockCosts(near, cpu)
    # In six of eight positions two more addresses are stored and loaded at each of three points; in
    # the others three rows are found, by three instructions each.
    assert (
        anywhere.of(unrolled).priced - run.of(unrolled).priced == 2 * 2 * 3 * 6 / 8 + 3 * 3 * 2 / 8
    )


def test_few_borders_are_not_peeled() -> None:
    costs = BlockCosts(windows(64), structs.replace(CPU, peeled=8))
    assert costs.choices_to_peel(Candidate({1: 3})) == []


def test_code_of_borders_has_a_price() -> None:
    """Each border has a body of its own, so a high price makes the clamped loop the cheaper one."""
    cpu = structs.replace(CPU, step=3, peeled=8, code=1000)
    costs, unrolled = BlockCosts(windows(8), cpu), Candidate({1: 3})
    assert costs.of(structs.replace(unrolled, peeled=(0,))).priced > costs.of(unrolled).priced


def test_the_code_of_a_box_is_paid_once_for_all_of_its_runs() -> None:
    cpu = structs.replace(CPU, code=100)
    once = BlockCosts(product_of(8, 10), cpu)
    often = BlockCosts(structs.replace(product_of(8, 10), runs=25), cpu)
    plain = BlockCosts(product_of(8, 10), CPU).of(Candidate({})).priced
    assert often.of(Candidate({})).priced - plain == (once.of(Candidate({})).priced - plain) / 25


def test_overlapping_windows_have_elements_in_common() -> None:
    source = windows(8).ins[0]
    assert distinct(source, {0: 2, 1: 3}) == 4
    assert distinct(source, {0: 2, 1: 4}, {1: 2}) == 4
