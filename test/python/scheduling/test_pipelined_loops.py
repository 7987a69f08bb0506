"""Pipelined loops compute what the loop computes, in fewer cycles, and miss each token."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from mlir import ir
from tile_loops import Loop, emulated, module


@pytest.fixture(autouse=True)
def _context() -> Iterator[None]:
    with ir.Context(), ir.Location.unknown():
        yield


@pytest.mark.parametrize("slots", [2, 3])
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("trips", [1, 2, 3, 4, 5, 7, 8])
def test_outputs_are_those_of_the_loop(trips: int, slots: int, dynamic: bool) -> None:
    loop = Loop(end=8 * trips, dynamic=dynamic)
    y, _ = emulated(module(loop, slots), loop)
    np.testing.assert_array_equal(y, loop.product())


@pytest.mark.parametrize("loop", [
    Loop(begin=8, end=61, step=24),
    Loop(begin=8, end=61, step=24, dynamic=True),
    Loop(begin=8, end=64, dynamic=True),
    Loop(begin=16, end=16, dynamic=True),
    Loop(begin=16, end=8, dynamic=True),
])
def test_bounds_that_no_step_divides(loop: Loop) -> None:
    y, _ = emulated(module(loop, 2), loop)
    np.testing.assert_array_equal(y, loop.product())
