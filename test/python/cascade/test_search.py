"""Claims about the search, judged by all ways to cut small graphs."""

from __future__ import annotations

from itertools import pairwise, product

import pytest
from common.programs.row_graphs import GraphMaker, random_graph, simulate

from forebay.cascade.schedule import Scheduler
from forebay.cascade.search import CascadeSearch


def _every_plan(graph):
    """Yield all segmentations: bits say where cuts are, and which single operators run by rows."""
    scheduler, count = Scheduler(graph), len(graph.operators)
    for cuts in product((False, True), repeat=count - 1):
        ends = [0, *[i + 1 for i, cut in enumerate(cuts) if cut], count]
        pairs = list(pairwise(ends))
        singles = [i for i, (start, stop) in enumerate(pairs) if stop == start + 1]
        for kinds in product((False, True), repeat=len(singles)):
            whole = {singles[i] for i, by_rows in enumerate(kinds) if not by_rows}
            yield tuple(
                scheduler.whole(start) if i in whole else scheduler.segment(start, stop)
                for i, (start, stop) in enumerate(pairs)
            )


@pytest.mark.parametrize("seed", range(25))
def test_no_way_to_cut_needs_fewer_bytes_and_none_within_a_budget_less_work(seed):
    graph = random_graph(seed, operators=5)
    search = CascadeSearch(graph)
    plans = [(simulate(graph, s), sum(map(search.work, s))) for s in _every_plan(graph)]
    least = min(size for size, _ in plans)
    found = search.smallest()
    assert found.bytes == least
    assert simulate(graph, found.segments) == least
    for budget in sorted({size for size, _ in plans}):
        within = search.within(budget)
        assert within is not None
        assert within.work == min(work for size, work in plans if size <= budget)
        assert simulate(graph, within.segments) == within.bytes <= budget
    assert search.within(least - 1) is None


def test_without_need_no_operator_runs_by_rows():
    maker = GraphMaker()
    maker.window(maker.window(maker.tensor(8, 4, is_input=True), 4, 3, pad=1), 4, 3, pad=1)
    search = CascadeSearch(maker.graph())
    layer_wise = search.layer_wise()
    assert search.within(layer_wise.bytes) == layer_wise
    assert layer_wise.work == 0
