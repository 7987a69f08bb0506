from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Op, T, single
from common.tflite_engines import assert_all_equal_micro

SPECIAL = [0.0, -0.0, 0.5, 1.5, 2.5, -0.5, -1.5, 1e-30, 3e4, -7.25]
POSITIVE = {"SQRT", "RSQRT", "LOG"}
NAMES = ["CEIL", "COS", "ELU", "EXP", "FLOOR", "LOG", "NEG", "ROUND", "RSQRT", "SIN", "SQRT"]


@pytest.mark.parametrize("name", [*NAMES, "SQUARE"])
def test_equals_tflite_micro(name: str, tmp_path: Path) -> None:
    x = np.random.default_rng(1).standard_normal((3, 50)).astype(np.float32) * 3
    if name in POSITIVE:
        x = np.abs(x) + np.float32(1e-3)
    elif name != "EXP":
        x[0, : len(SPECIAL)] = SPECIAL
    file = single(Op(name, [0], [1]), [T((3, 50), "float32")] * 2)
    assert_all_equal_micro(file, tmp_path, x)
