from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Op, T, single
from common.tflite_engines import assert_all_give
from common.tflite_reference import assert_equal_to_micro

EVERY_VALUE = np.arange(-128, 128, dtype=np.int8).reshape(1, 256)


def unary(name: str, a: T, out: T, options: str = "", **fields: object) -> bytes:
    return single(Op(name, [0], [1], options, fields), [a, out])


@pytest.mark.parametrize(("source", "target"), [((0.05, -3), (0.04, -60)), ((0.1, 7), (0.1, 7))])
def test_every_value_of_relu_is_exact(source, target) -> None:
    a, out = T((1, 256), "int8", *source), T((1, 256), "int8", *target)
    assert_equal_to_micro(unary("RELU", a, out), EVERY_VALUE)


def test_every_value_of_relu6_is_exact() -> None:
    a, out = (T((1, 256), "int8", 0.06, -100) for _ in range(2))
    result = assert_equal_to_micro(unary("RELU6", a, out), EVERY_VALUE)
    assert (result.min(), result.max()) == (-100, 0)  # 6 / 0.06 - 100


def test_bounds_are_divided_in_single_precision() -> None:
    # 6 / float32(0.096) is 62.5 in float32, and less in double.
    a, out = (T((1, 256), "int8", 0.096, -128) for _ in range(2))
    assert assert_equal_to_micro(unary("RELU6", a, out), EVERY_VALUE).max() == 63 - 128


def test_relu_n1_to_1_is_a_clamp(tmp_path: Path) -> None:
    x = np.float32([[-1.5, -1, -0.25, 0, 0.5, 1, 7, np.inf]])
    file = unary("RELU_N1_TO_1", T(x.shape, "float32"), T(x.shape, "float32"))
    assert_all_give(file, tmp_path, [x], [x.clip(-1, 1)])
