"""A missing copy or move; the bytes of its target may be unwritten, or filled."""

from __future__ import annotations

import random
from collections.abc import Iterator

from common.injection.mutants import Wrong
from common.injection.programs import without
from common.injection.right import MOVES, Right, is_load


def draw(right: Right, rng: random.Random) -> Iterator[Wrong]:
    """Every copy that is no load."""
    return without(right, lambda op: isinstance(op, MOVES) and not is_load(op), rng)
