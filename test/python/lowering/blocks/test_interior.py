"""The interior of a dimension, compared with every position."""

import itertools

import numpy as np
import pytest

from forebay.ir.memory.linear import Linear
from forebay.lowering.blocks.interior import interior_of


@pytest.mark.parametrize("seed", range(60))
def test_interior_is_the_largest_range_inside(seed: int) -> None:
    rng = np.random.default_rng(seed)
    counters = [range(int(b), int(b + e)) for b, e in rng.integers((0, 1), (3, 7), (3, 2))]
    axes = [
        (
            Linear(
                {d: int(f) for d, f in enumerate(rng.integers(-2, 3, 3)) if f},
                int(rng.integers(-3, 4)),
            ),
            int(rng.integers(1, 12)),
        )
        for _ in range(2)
    ]
    inside = [
        at
        for at in counters[0]
        if all(
            0 <= form.constant + sum(f * point[d] for d, f in form.terms.items()) < size
            for form, size in axes
            if form.factor(0)
            for point in itertools.product([at], counters[1], counters[2])
        )
    ]
    assert list(interior_of(0, axes, counters)) == inside
