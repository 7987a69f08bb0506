"""Windows that are limited along one dimension only, on each processor."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Op, T, single
from common.tflite_reference import micro, random_int8

import forebay


@pytest.mark.parametrize("cpu", ["cortex-m55", "cortex-m4", "x86-64-v3"])
@pytest.mark.parametrize("width", [5, 6])
def test_windows_of_one_row(cpu: str, width: int, tmp_path: Path) -> None:
    weights = np.maximum(random_int8(2, 3, 1, 3, 3), -127)
    tensors = [
        T((1, 4, width, 3), "int8", 0.15, 3),
        T(weights.shape, "int8", 0.006, 0, weights),
        T((1, 4, 3, 3), "int8", 0.5, -8),
    ]
    fields = {"StrideH": 1, "StrideW": 2, "Padding": 0}
    file = single(Op("CONV_2D", [0, 1], [2], "Conv2DOptions", fields), tensors)
    path = tmp_path / "network.tflite"
    path.write_bytes(file)
    x = random_int8(1, 1, 4, width, 3)
    found = forebay.compile(path, cpu=cpu).run(x, engine="c")
    np.testing.assert_array_equal(found, micro(file, [x])[0])


@pytest.mark.parametrize("cpu", ["cortex-m55", "cortex-m4", "x86-64-v3"])
@pytest.mark.parametrize(("height", "channels", "columns"), [(2, 17, 2), (4, 3, 2), (3, 16, 3)])
def test_windows_wider_than_an_image_of_one_column(
    cpu: str, height: int, channels: int, columns: int, tmp_path: Path
) -> None:
    weights = np.maximum(random_int8(2, 3, 3, columns, channels), -127)
    tensors = [
        T((1, height, 1, channels), "int8", 0.15, -25),
        T(weights.shape, "int8", 0.006, 0, weights),
        T((1, height, 1, 3), "int8", 0.5, -8),
    ]
    fields = {"StrideH": 1, "StrideW": 1, "Padding": 0}
    file = single(Op("CONV_2D", [0, 1], [2], "Conv2DOptions", fields), tensors)
    path = tmp_path / "network.tflite"
    path.write_bytes(file)
    x = random_int8(1, 1, height, 1, channels)
    found = forebay.compile(path, cpu=cpu).run(x, engine="c")
    np.testing.assert_array_equal(found, micro(file, [x])[0])
