"""A buffer in another quarter of its pool."""

from __future__ import annotations

import random
from collections.abc import Iterator

from common.injection.mutants import Wrong
from common.injection.plans import moved, shuffled
from common.injection.right import Right
from forebay.planning import Placement


def draw(right: Right, rng: random.Random) -> Iterator[Wrong]:
    """Every buffer in every other bank."""
    drawn = shuffled(((name, step) for name in right.planned.allocs for step in (1, 2, 3)), rng)
    return moved(right, ({name: _in_bank(right, name, step)} for name, step in drawn), rng)


def _in_bank(right: Right, name: str, step: int) -> Placement:
    place = right.planned.places[name]
    peak = right.planned.peaks(right.planned.places)[place.pool]
    bank = max(64, peak // 4 // 64 * 64)
    bound = max(1, peak // bank) * bank
    return Placement(place.pool, (place.offset + bank * step) % bound)
