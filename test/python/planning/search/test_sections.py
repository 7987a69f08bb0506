"""Cliques of the conflict graph, judged by trying all sets of items."""

from itertools import combinations
from random import Random

import pytest

from forebay.planning import Buffer, Pool, Problem, live
from forebay.planning.search.items import items_of
from forebay.planning.search.sections import sections
from forebay.planning.search.stack import Stack, whole_stack


def drawn(seed: int, pairs: int) -> Stack:
    rng = Random(seed)
    buffers = tuple(
        Buffer(f"b{i}", rng.randint(1, 9), live(start, start + rng.randint(1, 4)), ("ram",))
        for i, start in enumerate(rng.choices(range(8), k=7))
    )
    names = [b.name for b in buffers]
    conflicts = tuple((a, b) for a, b in rng.sample(list(combinations(names, 2)), pairs))
    return whole_stack(items_of(Problem((Pool("ram"),), buffers, conflicts)))


def cliques(stack: Stack) -> set[frozenset[int]]:
    edges = {(i, int(j)) for i, row in enumerate(stack.conflicts) for j in row}
    count = len(stack.members)
    sets = (set(c) for size in range(1, count + 1) for c in combinations(range(count), size))
    return {frozenset(s) for s in sets if all(pair in edges for pair in combinations(sorted(s), 2))}


@pytest.mark.parametrize("seed", range(20))
def test_those_of_lifetimes_are_all_maximal_ones(seed: int):
    stack = drawn(seed, pairs=0)
    every = cliques(stack)
    maximal = {c for c in every if not any(c < other for other in every)}
    found = sections(stack)
    assert {frozenset(clique) for clique in found} == maximal
    assert len(found) == len(maximal)


@pytest.mark.parametrize("seed", range(20))
def test_those_of_a_graph_are_maximal_and_cover_each_item(seed: int):
    stack = drawn(seed, pairs=4)
    every = cliques(stack)
    found = {frozenset(clique) for clique in sections(stack)}
    assert found <= {c for c in every if not any(c < other for other in every)}
    assert set().union(*found) == set(range(len(stack.members)))
