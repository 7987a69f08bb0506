"""A window, a part or an image that begins a row too early or too late, or has one more."""

from __future__ import annotations

import random
from collections.abc import Iterator

from common.injection.maps import maps_elsewhere
from common.injection.mutants import Wrong
from common.injection.plans import shuffled
from common.injection.programs import scalars_changed, views_changed
from common.injection.right import Right


def draw(right: Right, rng: random.Random) -> Iterator[Wrong]:
    """Offsets of views, heights in calls, and the rows at which kernels read and write."""
    views = views_changed(right, "static_offsets", (-1, 1))
    scalars = scalars_changed(right, _HEIGHTS, (-1, 1))
    maps = maps_elsewhere(right, lambda row, axis: row + axis.one, lambda row, axis: row - axis.one)
    yield from shuffled([*views, *scalars, *maps], rng)


_HEIGHTS = ("height", "x_height", "y_height", "rows", "top")
