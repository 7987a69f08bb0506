"""Claims about the best path, judged by all paths."""

from __future__ import annotations

from itertools import pairwise, product
from operator import add
from random import Random
from typing import NamedTuple

import pytest

from forebay.cascade.paths import Edge, best_path


class _Drawn(NamedTuple):
    """A graph with drawn costs; a cost of None stands for an edge that may not be used."""

    costs: dict[Edge, int | None]
    asked: list[Edge]

    def edges_from(self, cut: int):
        return [(edge, (cost or 0) // 2) for edge, cost in self.costs.items() if edge.start == cut]

    def cost(self, edge: Edge) -> int:
        self.asked.append(edge)
        return self.costs[edge] or 0

    def may_use(self, edge: Edge) -> bool:
        return self.costs[edge] is not None


def _drawn(seed: int, last: int) -> _Drawn:
    random = Random(seed)
    costs: dict[Edge, int | None] = {}
    for start in range(last):
        for stop in range(start + 1, last + 1):
            for by_rows in (False, True):
                if random.random() < 0.6:
                    cost = random.choice([None, 0, 1, 2, 3, 5, 8])
                    costs[Edge(start, stop, by_rows)] = cost
    return _Drawn(costs, [])


def _every_path(costs: dict[Edge, int | None], last: int):
    for cuts in product((False, True), repeat=last - 1):
        ends = [0, *[cut + 1 for cut, here in enumerate(cuts) if here], last]
        for kinds in product((False, True), repeat=len(ends) - 1):
            path = tuple(
                Edge(*pair, kind) for pair, kind in zip(pairwise(ends), kinds, strict=True)
            )
            if all(costs.get(edge) is not None for edge in path):
                yield path


@pytest.mark.parametrize("join", [add, max])
@pytest.mark.parametrize("seed", range(60))
def test_no_other_path_costs_less(seed, join):
    graph, last = _drawn(seed, 5), 5
    totals = []
    for path in _every_path(graph.costs, last):
        total = 0
        for edge in path:
            total = join(total, graph.costs[edge])
        totals.append(total)
    found = best_path(graph, last, join)
    if not totals:
        assert found is None
        return
    assert found is not None
    cost, path = found
    total = 0
    for edge in path:
        total = join(total, graph.costs[edge])
    assert cost == total == min(totals)
    assert path[0].start == 0
    assert path[-1].stop == last
    assert all(one.stop == two.start for one, two in pairwise(path))


def test_of_equal_paths_the_one_with_the_shortest_last_way_is_taken():
    pairs = [(0, 1), (0, 2), (1, 2), (2, 3), (1, 3), (0, 3)]
    graph = _Drawn({Edge(*pair, by_rows): 0 for pair in pairs for by_rows in (True, False)}, [])
    found = best_path(graph, 3, add)
    assert found == (0, (Edge(0, 1, False), Edge(1, 2, False), Edge(2, 3, False)))


def test_edges_that_cannot_be_better_are_not_looked_at():
    costs: dict[Edge, int | None] = {
        Edge(0, 1, False): 1,
        Edge(1, 2, False): 1,
        Edge(0, 2, True): 9,
    }
    graph = _Drawn(costs, [])
    assert best_path(graph, 2, add) == (2, (Edge(0, 1, False), Edge(1, 2, False)))
    assert Edge(0, 2, True) not in graph.asked
