"""A kernel that never runs."""

from __future__ import annotations

import random
from collections.abc import Iterator

from support.injection.mutants import Wrong
from support.injection.programs import without
from support.injection.right import KERNELS, Right, is_load


def draw(right: Right, dice: random.Random) -> Iterator[Wrong]:
    """Every kernel."""
    return without(right, lambda op: isinstance(op, KERNELS) and not is_load(op), dice)
