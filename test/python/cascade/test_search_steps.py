"""Claims about the steps to a budget."""

from __future__ import annotations

from common.programs.row_graphs import GraphMaker

from forebay.cascade.in_place import merged_in_place
from forebay.cascade.search import CascadeSearch
from forebay.cascade.search_steps import steps_to
from forebay.cascade.steps import CASCADE, IN_PLACE, PACK, PLAN, SINGLE_ROWS, BudgetStep


def test_each_step_needs_fewer_bytes_than_the_one_before():
    maker = GraphMaker()
    source = maker.tensor(16, 4, is_input=True)
    wide = maker.window(maker.window(source, 10, 3, pad=1), 10, 3, pad=1)
    other = maker.window(source, 10, 1)
    maker.sum(wide, other)
    maker.mean(len(maker.tensors) - 1)
    graph = maker.graph()
    search = CascadeSearch(merged_in_place(graph)[0])
    steps = steps_to("ws", graph, search, search.smallest(), 200)
    assert [step.step for step in steps] == [PACK, IN_PLACE, SINGLE_ROWS, CASCADE, PLAN]
    sizes = [step.bytes for step in steps[:-1]]
    assert sizes == sorted(set(sizes), reverse=True)
    assert steps[0] == BudgetStep("ws", PACK, 3 * 160, 0)
    assert steps[-1].bytes == 200
    assert 0 < steps[2].added < steps[3].added


def test_a_step_that_gives_nothing_is_left_out():
    maker = GraphMaker()
    maker.whole(maker.tensor(1, 64, is_input=True), 10)
    graph = maker.graph()
    search = CascadeSearch(graph)
    steps = steps_to("ws", graph, search, search.smallest(), 80)
    assert [step.step for step in steps] == [PACK, PLAN]
