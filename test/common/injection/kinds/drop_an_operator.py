"""A kernel that never runs."""

from __future__ import annotations

import random
from collections.abc import Iterator

from common.injection.mutants import Wrong
from common.injection.programs import without
from common.injection.right import KERNELS, Right, is_load


def draw(right: Right, rng: random.Random) -> Iterator[Wrong]:
    """Every kernel."""
    return without(right, lambda op: isinstance(op, KERNELS) and not is_load(op), rng)
