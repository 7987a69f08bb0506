"""Rows that are further apart, or nearer, than they are."""

from __future__ import annotations

import random
from collections.abc import Iterator

from common.injection.maps import maps_elsewhere
from common.injection.mutants import Wrong
from common.injection.plans import shuffled
from common.injection.programs import scalars_changed, views_changed
from common.injection.right import Right


def draw(right: Right, rng: random.Random) -> Iterator[Wrong]:
    """Strides of views, widths and strides in calls, and the steps by which kernels go on."""
    views = views_changed(right, "static_strides", (1,))
    scalars = scalars_changed(right, _WIDTHS, (-1, 1))
    maps = maps_elsewhere(right, lambda row, axis: row + axis.itself)
    yield from shuffled([*views, *scalars, *maps], rng)


_WIDTHS = ("width", "x_width", "y_width", "stride_y", "stride_x")
