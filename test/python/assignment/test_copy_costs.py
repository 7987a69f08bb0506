"""The cost after one change is that of the copies; `copies_of` says what it is."""

from __future__ import annotations

import random

import pytest

from forebay.assignment.copies import copies_of
from forebay.assignment.copy_costs import CopyCosts
from forebay.assignment.problem import (
    AliasSet,
    AssignedValue,
    AssignmentProblem,
    EqualityConstraint,
    Memory,
    PoolOption,
    Reader,
)
from forebay.pools import PoolKind

POOLS = (
    Memory("l2", PoolKind.workspace),
    Memory("act", PoolKind.workspace, readable=False),
    Memory("wei", PoolKind.workspace, writable=False),
    Memory("rom", PoolKind.constant),
    Memory("", None),
)
OPTIONS = tuple(PoolOption(pool.name, over) for pool in POOLS for over in (True, False))


def drawn(seed: int) -> tuple[AssignmentProblem, AssignedValue, random.Random]:
    rng = random.Random(seed)

    def pools() -> tuple[str, ...]:
        return tuple(pool.name for pool in rng.sample(POOLS, rng.randint(1, 3)))

    def position() -> tuple[tuple[int, int], ...]:
        return ((0, rng.randint(0, 5)),)

    slots = 5
    ties = tuple(
        EqualityConstraint(rng.randrange(slots), rng.random() < 0.8, rng.random() < 0.2, position())
        for _ in range(rng.randint(1, 7))
    )
    readers = tuple(
        Reader(pools(), rng.random() < 0.2, position()) for _ in range(rng.randint(0, 4))
    )
    value = AssignedValue(0, rng.randint(0, 9), readers, ties, rng.random() < 0.3)
    moves = frozenset((rng.choice(POOLS).name, rng.choice(POOLS).name) for _ in range(3))
    return AssignmentProblem(POOLS, (AliasSet(OPTIONS),) * slots, (value,), moves), value, rng


@pytest.mark.parametrize("seed", range(60))
def test_costs_after_single_changes_are_those_of_the_copies(seed: int) -> None:
    problem, value, rng = drawn(seed)
    used = sorted({0, *(tie.slot for tie in value.ties)})
    labels = {slot: rng.randrange(len(OPTIONS)) for slot in used}
    costs = CopyCosts(
        problem,
        value,
        own=0,
        tied=[tie.slot for tie in value.ties],
        places={slot: OPTIONS[label] for slot, label in labels.items()},
        domains=[OPTIONS] * 5,
    )
    for _ in range(40):
        slot, label = rng.choice(used), rng.randrange(len(OPTIONS))
        trial = {**labels, slot: label}
        ties_at = [OPTIONS[trial[tie.slot]] for tie in value.ties]
        copies = copies_of(problem, value, OPTIONS[trial[0]], ties_at)
        assert costs.cost_with(slot, label) == sum(copy.cost(value.size) for copy in copies)
        if rng.random() < 0.5:
            labels = trial
            costs.change(slot, label)
