"""Two buffers of one pool, each where the other should be."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

from common.injection.mutants import Wrong
from common.injection.plans import moved, shuffled
from common.injection.right import Right


def draw(right: Right, rng: random.Random) -> Iterator[Wrong]:
    """Every pair."""
    own = right.planned.places
    pairs = shuffled(itertools.combinations(right.planned.allocs, 2), rng)
    places = ({a: own[b], b: own[a]} for a, b in pairs if own[a].pool == own[b].pool)
    return moved(right, places, rng)
