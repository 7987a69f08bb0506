from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Op, T, constant, single
from common.tflite_engines import assert_all_equal_micro, assert_all_give


def random(dtype: str, seed: int, *shape: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if dtype == "float32":
        return rng.standard_normal(shape).astype(dtype)
    return rng.integers(-128, 128, shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_prelu(dtype: str, tmp_path: Path) -> None:
    scales = (0.05, 0.01, 0.04) if dtype == "int8" else (None,) * 3
    alphas = constant(random(dtype, 2, 1, 1, 7), dtype, scale=scales[1], zero_point=-4)
    tensors = [
        T((1, 5, 6, 7), dtype, scales[0], 9),
        alphas,
        T((1, 5, 6, 7), dtype, scales[2], -3),
    ]
    x = random(dtype, 1, 1, 5, 6, 7)
    assert_all_equal_micro(single(Op("PRELU", [0, 1], [2]), tensors), tmp_path, x)


@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_select_v2_broadcasts(dtype: str, tmp_path: Path) -> None:
    scale = 0.5 if dtype == "int8" else None
    shapes = ((4, 1), (1, 6), (4, 6))
    tensors = [T((4, 6), "bool"), *(T(shape, dtype, scale) for shape in shapes)]
    file = single(Op("SELECT_V2", [0, 1, 2], [3], "SelectV2Options"), tensors)
    condition = np.random.default_rng(3).integers(0, 2, (4, 6)).astype(bool)
    a, b = random(dtype, 1, 4, 1), random(dtype, 2, 1, 6)
    assert_all_give(file, tmp_path, [condition, a, b], [np.where(condition, a, b)])


def test_a_condition_of_rank_one_selects_rows(tmp_path: Path) -> None:
    tensors = [T((4,), "bool"), *[T((4, 6), "float32")] * 3]
    file = single(Op("SELECT", [0, 1, 2], [3], "SelectOptions"), tensors)
    condition = np.array([True, False, False, True])
    a, b = random("float32", 1, 4, 6), random("float32", 2, 4, 6)
    assert_all_give(file, tmp_path, [condition, a, b], [np.where(condition[:, None], a, b)])
