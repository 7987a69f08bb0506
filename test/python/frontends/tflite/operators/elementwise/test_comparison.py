from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Op, T, single
from common.tflite_engines import assert_all_equal_micro, assert_all_give
from mlir import ir

from forebay.frontends.tflite import UnsupportedModel, import_model

NAMES = ["EQUAL", "NOT_EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL"]


def compared(name: str, dtype: str, *scales: float) -> bytes:
    scale = [*scales, None, None]
    tensors = [T((4, 30), dtype, scale[0]), T((30,), dtype, scale[1]), T((4, 30), "bool")]
    return single(Op(name, [0, 1], [2], version=2), tensors)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", ["float32", "int32", "int8"])
def test_equals_tflite_micro(name: str, dtype: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    a = rng.integers(-6, 6, (4, 30)).astype(dtype)
    b = rng.integers(-6, 6, 30).astype(dtype)
    scales = (0.5, 0.25) if dtype == "int8" else ()
    assert_all_equal_micro(compared(name, dtype, *scales), tmp_path, a, b)


@pytest.mark.parametrize("name", ["LOGICAL_AND", "LOGICAL_OR"])
def test_logic(name: str, tmp_path: Path) -> None:
    file = single(Op(name, [0, 1], [2]), [T((4, 30), "bool")] * 3)
    a, b = np.random.default_rng(5).integers(0, 2, (2, 4, 30)).astype(bool)
    assert_all_equal_micro(file, tmp_path, a, b)


def test_logical_not(tmp_path: Path) -> None:
    file = single(Op("LOGICAL_NOT", [0], [1]), [T((2,), "bool")] * 2)
    assert_all_equal_micro(file, tmp_path, np.array([True, False]))


def test_int16_of_one_scale(tmp_path: Path) -> None:
    a = np.arange(-60, 60, dtype=np.int16).reshape(4, 30)
    b = np.arange(-15, 15, dtype=np.int16)
    assert_all_give(compared("GREATER", "int16", 0.5, 0.5), tmp_path, [a, b], [a > b])


def test_int16_of_two_scales_is_refused(context: ir.Context) -> None:
    with pytest.raises(UnsupportedModel, match="INT16 in two quantisations"):
        import_model(compared("GREATER", "int16", 0.5, 0.25))
