"""Claims about the best path, judged by all paths."""

from __future__ import annotations

from itertools import pairwise, product
from operator import add
from random import Random
from typing import NamedTuple

import pytest

from forebay.cascade.paths import Way, best_path


class _Drawn(NamedTuple):
    """Ways with drawn costs; a cost of None stands for a way that is closed."""

    costs: dict[Way, int | None]
    asked: list[Way]

    def ways_from(self, cut: int):
        return [(way, (cost or 0) // 2) for way, cost in self.costs.items() if way.start == cut]

    def cost(self, way: Way) -> int:
        self.asked.append(way)
        return self.costs[way] or 0

    def is_open(self, way: Way) -> bool:
        return self.costs[way] is not None


def _drawn(seed: int, last: int) -> _Drawn:
    random = Random(seed)
    costs: dict[Way, int | None] = {}
    for start in range(last):
        for stop in range(start + 1, last + 1):
            for by_rows in (False, True):
                if random.random() < 0.6:
                    cost = random.choice([None, 0, 1, 2, 3, 5, 8])
                    costs[Way(start, stop, by_rows)] = cost
    return _Drawn(costs, [])


def _every_path(costs: dict[Way, int | None], last: int):
    for cuts in product((False, True), repeat=last - 1):
        ends = [0, *[cut + 1 for cut, here in enumerate(cuts) if here], last]
        for kinds in product((False, True), repeat=len(ends) - 1):
            path = tuple(Way(*pair, kind) for pair, kind in zip(pairwise(ends), kinds, strict=True))
            if all(costs.get(way) is not None for way in path):
                yield path


@pytest.mark.parametrize("join", [add, max])
@pytest.mark.parametrize("seed", range(60))
def test_no_other_path_costs_less(seed, join):
    ways, last = _drawn(seed, 5), 5
    totals = []
    for path in _every_path(ways.costs, last):
        total = 0
        for way in path:
            total = join(total, ways.costs[way])
        totals.append(total)
    found = best_path(ways, last, join)
    if not totals:
        assert found is None
        return
    assert found is not None
    cost, path = found
    total = 0
    for way in path:
        total = join(total, ways.costs[way])
    assert cost == total == min(totals)
    assert path[0].start == 0
    assert path[-1].stop == last
    assert all(one.stop == two.start for one, two in pairwise(path))


def test_of_equal_paths_the_one_with_the_shortest_last_way_is_taken():
    pairs = [(0, 1), (0, 2), (1, 2), (2, 3), (1, 3), (0, 3)]
    ways = _Drawn({Way(*pair, by_rows): 0 for pair in pairs for by_rows in (True, False)}, [])
    found = best_path(ways, 3, add)
    assert found == (0, (Way(0, 1, False), Way(1, 2, False), Way(2, 3, False)))


def test_ways_that_cannot_be_better_are_not_looked_at():
    costs: dict[Way, int | None] = {Way(0, 1, False): 1, Way(1, 2, False): 1, Way(0, 2, True): 9}
    ways = _Drawn(costs, [])
    assert best_path(ways, 2, add) == (2, (Way(0, 1, False), Way(1, 2, False)))
    assert Way(0, 2, True) not in ways.asked
