"""Claims about the plans between the layer-wise one and the smallest."""

from __future__ import annotations

from itertools import pairwise

import pytest
from common.programs.row_graphs import random_graph, simulate

from forebay.cascade.frontier import frontier
from forebay.cascade.search import CascadeSearch


@pytest.mark.parametrize("seed", range(20))
def test_plans_have_fewer_bytes_and_more_work_from_first_to_last(seed):
    graph = random_graph(seed)
    search = CascadeSearch(graph)
    plans = frontier(search, 6)
    assert plans[0] == search.layer_wise()
    assert plans[-1].bytes == search.smallest().bytes
    assert len(plans) <= 7
    for one, two in pairwise(plans):
        assert two.bytes < one.bytes
        assert two.work >= one.work
    assert all(simulate(graph, plan.segments) == plan.bytes for plan in plans)
