"""What a device should have been brought, and was not."""

from __future__ import annotations

import random
from collections.abc import Iterator

from common.injection.mutants import Wrong
from common.injection.programs import without
from common.injection.right import Right, is_load


def draw(right: Right, rng: random.Random) -> Iterator[Wrong]:
    """Every load, of images and weights."""
    return without(right, is_load, rng)
