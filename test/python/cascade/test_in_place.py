"""Claims about results in the rows of an operand."""

from __future__ import annotations

from dataclasses import replace

from common.programs.row_graphs import GraphMaker, random_graph, simulate

from forebay.cascade.in_place import merged_in_place
from forebay.cascade.search import CascadeSearch


def _residual() -> GraphMaker:
    maker = GraphMaker()
    skip = maker.tensor(8, 4, is_input=True)
    inner = maker.window(skip, 4, 3, pad=1)
    maker.sum(skip, inner)
    return maker


def test_a_sum_takes_the_rows_of_the_operand_that_nobody_else_reads():
    graph, roots = merged_in_place(_residual().graph())
    assert roots == {2: 1}
    assert [access.tensor for access in graph.operators[1].writes] == [1]


def test_an_operand_with_a_later_reader_is_kept():
    maker = _residual()
    maker.window(1, 4, 1)
    _, roots = merged_in_place(maker.graph())
    assert roots == {2: 0}


def test_rows_of_other_sizes_are_kept_apart():
    maker = GraphMaker()
    source = maker.tensor(8, 4, is_input=True)
    narrow = maker.window(source, 2, 1)
    maker.operators[-1] = replace(maker.operators[-1], in_place=(source,))
    assert merged_in_place(maker.graph())[1] == {}
    maker.tensors[narrow] = replace(maker.tensors[narrow], row_bytes=4)
    assert merged_in_place(maker.graph())[1] == {narrow: source}


def test_merged_graphs_have_the_same_values_and_no_more_bytes():
    merged = 0
    for seed in range(100):
        graph = random_graph(seed)
        in_place, roots = merged_in_place(graph)
        merged += len(roots)
        plan = CascadeSearch(in_place).smallest()
        assert simulate(in_place, plan.segments) == plan.bytes
        assert plan.bytes <= CascadeSearch(graph).layer_wise().bytes
    assert merged > 10
