"""A buffer where another one still is."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

from common.injection.mutants import Wrong
from common.injection.plans import moved, shuffled
from common.injection.right import Right


def draw(right: Right, rng: random.Random) -> Iterator[Wrong]:
    """Every buffer on every other of its pool."""
    own = right.planned.places
    pairs = shuffled(itertools.permutations(right.planned.allocs, 2), rng)
    places = ({a: own[b]} for a, b in pairs if own[a].pool == own[b].pool)
    return moved(right, places, rng)
