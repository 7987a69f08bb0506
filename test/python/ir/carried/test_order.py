"""Parallel copies: after the steps every target holds its value, with the fewest values saved."""

from collections.abc import Mapping, Sequence
from itertools import product

import pytest

from forebay.ir.carried.order import Save, Step, stores_in_order


def after(steps: Sequence[Step], value_of: Mapping[int, int]) -> dict[int, int]:
    """What the targets hold when target `i` is to get what target `value_of[i]` held before."""
    memory = {target: target for target in value_of}
    saved: dict[int, int] = {}
    for step in steps:
        value = saved.get(step.target, memory[value_of[step.target]])
        (saved if isinstance(step, Save) else memory)[step.target] = value
    return memory


def cycles_in(value_of: Mapping[int, int]) -> int:
    """Cycles of two or more targets, each found from its smallest member."""
    count = 0
    for start in value_of:
        path = [start]
        while len(path) <= len(value_of) and value_of[path[-1]] != start:
            path.append(value_of[path[-1]])
        count += 1 < len(path) <= len(value_of) and min(path) == start
    return count


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_every_choice_of_sources_with_one_saved_value_per_cycle(size: int) -> None:
    for choice in product(range(size), repeat=size):
        value_of = dict(enumerate(choice))
        steps = list(stores_in_order({i: {source} for i, source in value_of.items()}))
        assert after(steps, value_of) == value_of
        assert sum(isinstance(step, Save) for step in steps) == cycles_in(value_of)


def test_values_that_may_be_in_several_targets_are_safe_in_any() -> None:
    """Every relation on three targets; each of its possible sources must be intact when read."""
    pairs = [(i, j) for i in range(3) for j in range(3) if i != j]
    for chosen in product((False, True), repeat=len(pairs)):
        sources: dict[int, set[int]] = {i: {i} for i in range(3)}
        for (i, j), use in zip(pairs, chosen, strict=True):
            if use:
                sources[i].add(j)
        steps = list(stores_in_order(sources))
        for picked in product(*(sorted(sources[i]) for i in range(3))):
            value_of = dict(enumerate(picked))
            assert after(steps, value_of) == value_of
