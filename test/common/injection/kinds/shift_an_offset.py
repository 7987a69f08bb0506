"""A buffer some alignments away from its place."""

from __future__ import annotations

import random
from collections.abc import Iterator

from common.injection.mutants import Wrong
from common.injection.plans import moved, shuffled
from common.injection.right import Right
from forebay.planning import Placement


def draw(right: Right, rng: random.Random) -> Iterator[Wrong]:
    """Every buffer by every step."""
    own = right.planned.places
    drawn = shuffled(((name, step) for name in right.planned.allocs for step in _STEPS), rng)
    places = ({n: Placement(own[n].pool, max(0, own[n].offset + step))} for n, step in drawn)
    return moved(right, places, rng)


_STEPS = (-4096, -1024, -256, -64, 64, 256, 1024, 4096)
