from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Op, T, constant, single
from common.tflite_engines import assert_all_equal_micro


@pytest.mark.parametrize("name", ["ARG_MAX", "ARG_MIN"])
@pytest.mark.parametrize("dtype", ["float32", "int8"])
@pytest.mark.parametrize("axis", [0, -1])
def test_the_first_of_equal_ones_counts(name: str, dtype: str, axis: int, tmp_path: Path) -> None:
    options = "ArgMaxOptions" if name == "ARG_MAX" else "ArgMinOptions"
    x = np.random.default_rng(1).integers(-3, 3, (5, 6)).astype(dtype)
    x[0] = -128
    shape = (6,) if axis == 0 else (5,)
    tensors = [T((5, 6), dtype), constant(axis), T(shape, "int32")]
    file = single(Op(name, [0, 1], [2], options, {"OutputType": 2}), tensors)
    assert_all_equal_micro(file, tmp_path, x)
