"""Bucket elimination: minimises a sum of cost functions over variables with small domains.

Source: R. Dechter, "Bucket elimination: a unifying framework for reasoning", 1999. The algorithm
eliminates one variable after another. It replaces the functions that contain the variable by a
table. For each choice of the other variables in these functions, the table holds the least sum of
their costs. The result is exact; the run time is low while each table has few variables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from heapq import heapify, heappop, heappush
from itertools import product
from math import prod
from typing import Protocol

from msgspec import Struct

Labels = tuple[int, ...]


class FactorState(Protocol):
    """The cost of a factor while labels change one at a time."""

    def cost_with(self, variable: int, label: int) -> int:
        """Return the cost if one variable had another label."""
        ...

    def change(self, variable: int, label: int) -> None:
        """Set the label of one variable."""
        ...


class Factor(Struct, frozen=True, eq=False):
    """A cost function of the labels of the variables in `scope`, in that order.

    `start` returns the state at given labels. A factor of many variables has one of its own, which
    is faster than to compute the whole cost for every change.
    """

    scope: tuple[int, ...]
    cost: Callable[[Labels], int]
    start: Callable[[Labels], FactorState] | None = None


class _Recomputed:
    """The state of a factor of few variables."""

    def __init__(self, factor: Factor, labels: Labels) -> None:
        self._factor = factor
        self._labels = dict(zip(factor.scope, labels, strict=True))

    def cost_with(self, variable: int, label: int) -> int:
        labels = {**self._labels, variable: label}
        return self._factor.cost(tuple(labels.values()))

    def change(self, variable: int, label: int) -> None:
        self._labels[variable] = label


class Minimum(Struct, frozen=True):
    """A label per variable and their total cost.

    `proven` is True when no other labels cost less; `work` is the number of look-ups used.
    """

    labels: Labels
    cost: int
    proven: bool
    work: int


def minimise(sizes: Sequence[int], factors: Sequence[Factor], work: int) -> Minimum:
    """Return the cheapest labels; variable `i` has the labels `0 ... sizes[i] - 1`.

    On a tie, the labels found first are returned. If elimination needs more than `work` look-ups,
    a local search that changes one label at a time is used instead; its result is not `proven`.
    """
    is_small = all(_entries(sizes, factor.scope) <= work for factor in factors)
    order, needed = _order(sizes, factors) if is_small else ([], work + 1)
    proven = needed <= work
    labels = _eliminate(sizes, factors, order) if proven else _descend(sizes, factors)
    cost = sum(factor.cost(_pick(labels, factor.scope)) for factor in factors)
    return Minimum(labels, cost, proven, needed if proven else 0)


def _pick(labels: Sequence[int], scope: Sequence[int]) -> Labels:
    return tuple(labels[variable] for variable in scope)


def _order(sizes: Sequence[int], factors: Sequence[Factor]) -> tuple[list[int], int]:
    """Return an elimination order, smallest table first, and the number of look-ups it needs."""
    tables = [{v} for v in range(len(sizes))]
    members = [set(factor.scope) for factor in factors]
    inside: list[set[int]] = [set() for _ in sizes]
    for number, scope in enumerate(members):
        for v in scope:
            inside[v].add(number)
            tables[v] |= scope
    heap = [(_entries(sizes, table), v) for v, table in enumerate(tables)]
    heapify(heap)
    order, work = list[int](), 0
    left = [True] * len(sizes)
    while heap:
        entries, best = heappop(heap)
        if not left[best] or entries != _entries(sizes, tables[best]):
            continue  # outdated entry: the variable is eliminated or its table has changed
        left[best] = False
        work += entries * max(1, len(inside[best]))
        others = tables[best] - {best}
        for number in inside[best]:
            for v in members[number] - {best}:
                inside[v].discard(number)
        members.append(others)
        for v in others:
            inside[v].add(len(members) - 1)
            tables[v] = (tables[v] | others) - {best}
            heappush(heap, (_entries(sizes, tables[v]), v))
        order.append(best)
    return order, work


def _entries(sizes: Sequence[int], variables: Iterable[int]) -> int:
    return prod(sizes[v] for v in variables)


def _eliminate(sizes: Sequence[int], factors: Sequence[Factor], order: Sequence[int]) -> Labels:
    around: list[dict[Factor, None]] = [{} for _ in sizes]
    for factor in factors:
        for variable in factor.scope:
            around[variable][factor] = None
    answers: list[tuple[int, tuple[int, ...], dict[Labels, int]]] = []
    for variable in order:
        bucket = list(around[variable])
        scope = tuple(sorted({v for factor in bucket for v in factor.scope} - {variable}))
        costs, choices = _table(sizes, bucket, variable, scope)
        table = Factor(scope, costs.__getitem__)
        for factor in bucket:
            for v in factor.scope:
                around[v].pop(factor, None)
        for v in scope:
            around[v][table] = None
        answers.append((variable, scope, choices))
    labels = [0] * len(sizes)
    for variable, scope, choices in reversed(answers):
        labels[variable] = choices[_pick(labels, scope)]
    return tuple(labels)


def _table(
    sizes: Sequence[int], bucket: Sequence[Factor], variable: int, scope: tuple[int, ...]
) -> tuple[dict[Labels, int], dict[Labels, int]]:
    """Return the least cost of the bucket and the best label, by the labels of `scope`."""
    costs: dict[Labels, int] = {}
    choices: dict[Labels, int] = {}
    for labels in product(*(range(sizes[v]) for v in scope)):
        known = dict(zip(scope, labels, strict=True))
        for label in range(sizes[variable]):
            known[variable] = label
            cost = sum(factor.cost(tuple(known[v] for v in factor.scope)) for factor in bucket)
            if labels not in costs or cost < costs[labels]:
                costs[labels], choices[labels] = cost, label
    return costs, choices


def _descend(sizes: Sequence[int], factors: Sequence[Factor]) -> Labels:
    labels = [0] * len(sizes)
    around: list[list[FactorState]] = [[] for _ in sizes]
    for factor in factors:
        start, at = factor.start, _pick(labels, factor.scope)
        state = _Recomputed(factor, at) if start is None else start(at)
        for variable in factor.scope:
            around[variable].append(state)
    improved = True
    while improved:
        improved = False
        for variable, size in enumerate(sizes):
            states = around[variable]
            costs = [sum(s.cost_with(variable, label) for s in states) for label in range(size)]
            best = costs.index(min(costs))
            if costs[best] < costs[labels[variable]]:
                labels[variable], improved = best, True
                for state in states:
                    state.change(variable, best)
    return tuple(labels)
