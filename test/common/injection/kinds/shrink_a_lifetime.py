"""A plan by somebody who believes that a buffer is born later, or dies earlier."""

from __future__ import annotations

import random
from collections.abc import Iterator

from common.injection.mutants import Wrong
from common.injection.plan import Places
from common.injection.plans import moved, shuffled
from common.injection.right import Right


def draw(right: Right, dice: random.Random) -> Iterator[Wrong]:
    """Any buffer, by any number of ticks, from either end."""
    return moved(right, _plans(right, dice), dice)


def _plans(right: Right, dice: random.Random) -> Iterator[Places]:
    for _ in range(_ROUNDS):
        for name in shuffled(right.planned.allocs, dice):
            places = right.planned.with_shorter(name, dice)
            if places is not None:
                yield places


_ROUNDS = 8
