"""The least sum of costs, against trying everything."""

from __future__ import annotations

import random
from itertools import product

import pytest

from forebay.assignment.minimise import Factor, minimise


def random_factors(source: random.Random, sizes: list[int]) -> list[Factor]:
    factors: list[Factor] = []
    for _ in range(source.randint(1, 8)):
        scope = tuple(
            sorted(source.sample(range(len(sizes)), source.randint(1, min(3, len(sizes)))))
        )
        table = {
            labels: source.randint(0, 9) for labels in product(*(range(sizes[v]) for v in scope))
        }
        factors.append(Factor(scope, table.__getitem__))
    return factors


def cost(labels: tuple[int, ...], factors: list[Factor]) -> int:
    return sum(factor.cost(tuple(labels[v] for v in factor.scope)) for factor in factors)


@pytest.mark.parametrize("seed", range(200))
def test_nothing_costs_less(seed: int) -> None:
    source = random.Random(seed)
    sizes = [source.randint(1, 3) for _ in range(source.randint(1, 6))]
    factors = random_factors(source, sizes)
    found = minimise(sizes, factors, work=10**6)
    assert found.proven
    assert found.cost == cost(found.labels, factors)
    assert found.cost == min(cost(t, factors) for t in product(*map(range, sizes)))


@pytest.mark.parametrize("seed", range(50))
def test_out_of_work_it_says_so_and_no_single_change_is_better(seed: int) -> None:
    source = random.Random(seed)
    sizes = [source.randint(2, 3) for _ in range(6)]
    factors = random_factors(source, sizes)
    found = minimise(sizes, factors, work=1)
    assert not found.proven
    for variable, size in enumerate(sizes):
        for label in range(size):
            other = (*found.labels[:variable], label, *found.labels[variable + 1 :])
            assert cost(other, factors) >= found.cost


def test_a_long_chain_is_cut_at_its_cheapest_link() -> None:
    weights = [9] * 300
    weights[123] = 2
    links = [
        Factor((i, i + 1), lambda labels, w=weight: w * (labels[0] != labels[1]))
        for i, weight in enumerate(weights)
    ]
    ends = [
        Factor((0,), lambda labels: 50 * labels[0]),
        Factor((300,), lambda labels: 50 * (1 - labels[0])),
    ]
    found = minimise([2] * 301, [*links, *ends], work=10**5)
    assert (found.cost, found.proven) == (2, True)
    assert found.labels == (0,) * 124 + (1,) * 177
