"""A plan for a lifetime that begins too late or ends too early."""

from __future__ import annotations

import random
from collections.abc import Iterator

from common.injection.mutants import Wrong
from common.injection.plan import Places
from common.injection.plans import moved, shuffled
from common.injection.right import Right


def draw(right: Right, rng: random.Random) -> Iterator[Wrong]:
    """Any buffer, by any number of ticks, from either end."""
    return moved(right, _plans(right, rng), rng)


def _plans(right: Right, rng: random.Random) -> Iterator[Places]:
    for _ in range(_ROUNDS):
        for name in shuffled(right.planned.allocs, rng):
            places = right.planned.with_shorter(name, rng)
            if places is not None:
                yield places


_ROUNDS = 8
