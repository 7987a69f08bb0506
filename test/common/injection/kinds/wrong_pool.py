"""A buffer at its offset, in a pool that it may not be in."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

from mlir import ir

from common.injection.mutants import Change, Wrong
from common.injection.plans import shuffled
from common.injection.right import Right
from forebay.ir.machine.pools import pools_in
from forebay.planning import Placement


def draw(right: Right, rng: random.Random) -> Iterator[Wrong]:
    """Every buffer in every other pool."""
    pairs = itertools.product(right.planned.allocs, pools_in(right.module))
    for name, pool in shuffled(pairs, rng):
        place = right.planned.places[name]
        if pool != place.pool:
            yield f"{name} in @{pool}", _put(right, name, Placement(pool, place.offset))


def _put(right: Right, name: str, place: Placement) -> Change:
    def change(module: ir.Operation) -> None:
        right.planned.put(module, {**right.planned.places, name: place})

    return change
