"""Kernels on padded copies compute the same bits in every engine."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.padded_layers import drawn_layers, padded_copies_in, text_of

import forebay

ROOM = "1M"
"""A budget in which each copy fits."""


@pytest.mark.parametrize("seed", [0, 4, 5, 9, 11, 12])
@pytest.mark.parametrize("cpu", ["generic", "cortex-m4", "cortex-m55", "cascadelake"])
def test_padded_sources_give_the_same_bits(tmp_path: Path, seed: int, cpu: str) -> None:
    layers = drawn_layers(seed)
    (tmp_path / "net.mlir").write_text(text_of(*layers))
    padded = forebay.compile(tmp_path / "net.mlir", budget=ROOM, cpu=cpu)
    plain = forebay.compile(tmp_path / "net.mlir", optimize="size")
    assert padded_copies_in(padded.planned) and not padded_copies_in(plain.planned)
    expected = plain.run(layers[0].source())
    for engine in ("c", "llvm", "emulator"):
        np.testing.assert_array_equal(padded.run(layers[0].source(), engine=engine), expected)
