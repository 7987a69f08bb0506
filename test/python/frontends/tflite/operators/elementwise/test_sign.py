from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Op, T, single
from common.tflite_engines import assert_all_give

from forebay.errors import Error

FLOATS = np.float32([[-7.5, -0.0, 0.0, 1e-30, -1e-30, np.inf, -np.inf, np.nan]])


@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_it_is_the_difference_of_two_comparisons(dtype: str, tmp_path: Path) -> None:
    x = FLOATS if dtype == "float32" else np.int32([[-(1 << 31), -3, 0, 1, 2, 5, 9, (1 << 31) - 1]])
    file = single(Op("SIGN", [0], [1], "SignOptions"), [T(x.shape, dtype)] * 2)
    expected = (x > 0).astype(dtype) - (x < 0).astype(dtype)
    assert_all_give(file, tmp_path, [x], [expected])


def test_int8_is_refused_as_in_litert(tmp_path: Path) -> None:
    file = single(Op("SIGN", [0], [1], "SignOptions"), [T((1, 4), "int8", 0.1, 0)] * 2)
    with pytest.raises(Error, match=r"\(SIGN\): not supported: operands and results of types INT8"):
        assert_all_give(file, tmp_path, [np.zeros((1, 4), np.int8)], [])
