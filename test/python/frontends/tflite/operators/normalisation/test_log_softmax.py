from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Op, T, single
from common.tflite_engines import assert_all_equal_micro


@pytest.mark.parametrize("scale", [0.004, 0.05, 0.2, 1.5])
@pytest.mark.parametrize("columns", [1, 2, 10, 300])
def test_int8_equals_tflite_micro(scale: float, columns: int, tmp_path: Path) -> None:
    tensors = [T((40, columns), "int8", scale, 3), T((40, columns), "int8", 16 / 256, 127)]
    file = single(Op("LOG_SOFTMAX", [0], [1], "LogSoftmaxOptions"), tensors)
    rng = np.random.default_rng(1)
    spread = rng.integers(1, 129, (40, 1))
    x = rng.integers(-spread, spread, (40, columns)).astype(np.int8)
    assert_all_equal_micro(file, tmp_path, x)


def test_floats_equal_tflite_micro(tmp_path: Path) -> None:
    file = single(Op("LOG_SOFTMAX", [0], [1], "LogSoftmaxOptions"), [T((2, 3, 9), "float32")] * 2)
    x = np.random.default_rng(1).standard_normal((2, 3, 9)).astype(np.float32) * 8
    assert_all_equal_micro(file, tmp_path, x)
