from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Op, T, single
from common.tflite_engines import assert_all_give

TYPES = ["float32", "int8", "uint8", "int16", "int32", "int64", "bool"]


@pytest.mark.parametrize("source", TYPES)
@pytest.mark.parametrize("target", TYPES)
def test_converts_as_c_does(source: str, target: str, tmp_path: Path) -> None:
    file = single(Op("CAST", [0], [1], "CastOptions"), [T((60,), source), T((60,), target)])
    low = 0 if target == "uint8" and source == "float32" else -90
    x = np.random.default_rng(1).integers(low, 90, 60)
    values = (x + 0.7 if source == "float32" else x).astype(source)
    assert_all_give(file, tmp_path, [values], [values.astype(target)])


@pytest.mark.parametrize(
    ("target", "low", "high"),
    [("int8", -128, 127), ("int32", -(2**31), 2**31 - 128), ("uint8", 0, 255)],
)
def test_floats_outside_saturate(target: str, low: int, high: int, tmp_path: Path) -> None:
    file = single(Op("CAST", [0], [1], "CastOptions"), [T((2,), "float32"), T((2,), target)])
    x = np.array([-1e30, 1e30], np.float32)
    assert_all_give(file, tmp_path, [x], [np.array([low, high], target)])
