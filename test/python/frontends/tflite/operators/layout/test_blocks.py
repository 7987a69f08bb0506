from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Op, T, constant, single
from common.tflite_engines import assert_all_equal_micro, assert_all_give

DTYPES = ["float32", "int8"]


def data(dtype: str, *shape: int) -> np.ndarray:
    return np.random.default_rng(1).integers(-100, 100, shape).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("name", "source", "target"),
    [
        ("DEPTH_TO_SPACE", (2, 3, 4, 12), (2, 6, 8, 3)),
        ("SPACE_TO_DEPTH", (2, 6, 8, 3), (2, 3, 4, 12)),
    ],
)
def test_depth(name: str, dtype: str, source: tuple, target: tuple, tmp_path: Path) -> None:
    options = "DepthToSpaceOptions" if name == "DEPTH_TO_SPACE" else "SpaceToDepthOptions"
    scale = 0.1 if dtype == "int8" else None
    tensors = [T(source, dtype, scale, 3), T(target, dtype, scale, 3)]
    file = single(Op(name, [0], [1], options, {"BlockSize": 2}), tensors)
    assert_all_equal_micro(file, tmp_path, data(dtype, *source))


@pytest.mark.parametrize("dtype", DTYPES)
def test_space_to_batch_pads(dtype: str, tmp_path: Path) -> None:
    scale = 0.1 if dtype == "int8" else None
    tensors = [
        T((2, 5, 7, 3), dtype, scale, 3),
        constant([2, 3]),
        constant([[1, 2], [0, 2]]),
        T((12, 4, 3, 3), dtype, scale, 3),
    ]
    file = single(Op("SPACE_TO_BATCH_ND", [0, 1, 2], [3]), tensors)
    x = data(dtype, 2, 5, 7, 3)
    # TFLite Micro never sets the value that it pads int8 with; LiteRT takes the zero point.
    borders = [(0, 0), (1, 2), (0, 2), (0, 0)]
    padded = np.pad(x, borders, constant_values=3 if dtype == "int8" else 0)
    blocks = padded.reshape(2, 4, 2, 3, 3, 3).transpose(2, 4, 0, 1, 3, 5).reshape(12, 4, 3, 3)
    assert_all_give(file, tmp_path, [x], [blocks])


@pytest.mark.parametrize("dtype", DTYPES)
def test_batch_to_space_crops(dtype: str, tmp_path: Path) -> None:
    scale = 0.1 if dtype == "int8" else None
    tensors = [
        T((12, 4, 3, 3), dtype, scale, 3),
        constant([2, 3]),
        constant([[1, 2], [0, 2]]),
        T((2, 5, 7, 3), dtype, scale, 3),
    ]
    file = single(Op("BATCH_TO_SPACE_ND", [0, 1, 2], [3]), tensors)
    assert_all_equal_micro(file, tmp_path, data(dtype, 12, 4, 3, 3))
