"""`accel.reduce` on boxes of its domain, from a model in MLIR to every engine."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.programs.boxed_reduce import Window, looped_tensors, straight

import forebay

WINDOW = Window(6, 3, 3, 4, height=6, before=1)
TILES = [((0, 4), (0, 3)), ((4, 2), (0, 2)), ((4, 2), (2, 1))]
PARTS = [((0, 2), (0, 4)), ((2, 1), (0, 4))]
PROGRAMS = {
    "straight": straight(WINDOW, TILES, PARTS),
    "loops": looped_tensors(WINDOW, (2, 3, 3, 1)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_engine_runs_boxes(name: str, tmp_path: Path) -> None:
    model = tmp_path / "boxes.mlir"
    model.write_text(PROGRAMS[name])
    compiled, inputs = forebay.compile(model), WINDOW.inputs(3)
    for engine in ("c", "llvm", "emulator"):
        found = np.asarray(compiled.run(*inputs, engine=engine))
        np.testing.assert_array_equal(found, WINDOW.expected(*inputs))


def test_accumulators_of_tiles_share_bytes(tmp_path: Path) -> None:
    # An i32 accumulator and an i32 count of 4 x 3 points; later tiles are smaller.
    model = tmp_path / "boxes.mlir"
    model.write_text(PROGRAMS["straight"])
    assert forebay.compile(model).plan.peak("workspace") == 2 * 4 * 12
