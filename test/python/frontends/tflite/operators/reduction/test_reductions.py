from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Op, T, constant, single
from common.tflite_engines import assert_all_equal_micro, assert_all_give


def reduction(name: str, dtype: str, axes: list[int], shape: tuple, keep: bool) -> bytes:
    scale = 0.1 if dtype == "int8" else None
    tensors = [T((2, 3, 4, 5), dtype, scale, 3), constant(axes), T(shape, dtype, scale, 3)]
    return single(Op(name, [0, 1], [2], "ReducerOptions", {"KeepDims": keep}), tensors)


def data(dtype: str) -> np.ndarray:
    x = np.random.default_rng(1).integers(-9, 9, (2, 3, 4, 5))
    return x > 6 if dtype == "bool" else x.astype(dtype)


@pytest.mark.parametrize("name", ["REDUCE_MAX", "REDUCE_MIN"])
@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_extrema(name: str, dtype: str, tmp_path: Path) -> None:
    file = reduction(name, dtype, [1, -1], (2, 1, 4, 1), True)
    assert_all_equal_micro(file, tmp_path, data(dtype))
    file = reduction(name, dtype, [2], (2, 3, 5), False)
    assert_all_equal_micro(file, tmp_path, data(dtype))


@pytest.mark.parametrize(
    ("name", "dtype", "function"),
    [
        ("SUM", "float32", np.sum),
        ("SUM", "int32", np.sum),
        ("REDUCE_PROD", "int32", np.prod),
        ("REDUCE_ANY", "bool", np.any),
        ("REDUCE_ALL", "bool", np.all),
    ],
)
def test_numbers(name: str, dtype: str, function: object, tmp_path: Path) -> None:
    x = data(dtype)
    file = reduction(name, dtype, [0, 2], (3, 5), False)
    assert_all_give(file, tmp_path, [x], [function(x, axis=(0, 2)).astype(dtype)])


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
def test_cumsum(exclusive: bool, reverse: bool, axis: int, tmp_path: Path) -> None:
    tensors = [T((3, 7), "float32"), constant(axis), T((3, 7), "float32")]
    fields = {"Exclusive": exclusive, "Reverse": reverse}
    file = single(Op("CUMSUM", [0, 1], [2], "CumsumOptions", fields), tensors)
    x = np.random.default_rng(1).standard_normal((3, 7)).astype(np.float32)
    assert_all_equal_micro(file, tmp_path, x)
