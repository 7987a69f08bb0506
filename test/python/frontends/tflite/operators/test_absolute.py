from __future__ import annotations

import numpy as np
import pytest
from common.model_file import Op, T, single
from common.tflite_reference import assert_equal_to_micro, random_float

EVERY_VALUE = np.arange(-128, 128, dtype=np.int8).reshape(1, 256)


def absolute(source: T, target: T) -> bytes:
    return single(Op("ABS", [0], [1]), [source, target])


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ((0.05, 0), (0.05, 0)),
        ((0.05, -3), (0.05, -128)),  # one scale: TFLite does not multiply
        ((0.05, 12), (0.024, -128)),
        ((0.013, 127), (0.1, -60)),
        ((1.0, -128), (0.003, 127)),  # saturates
    ],
)
def test_every_value_is_exact(source: tuple[float, int], target: tuple[float, int]) -> None:
    a, out = T((1, 256), "int8", *source), T((1, 256), "int8", *target)
    assert_equal_to_micro(absolute(a, out), EVERY_VALUE)


def test_the_magnitude_of_the_lowest_value_saturates() -> None:
    a, out = (T((1, 256), "int8", 0.5, 0) for _ in range(2))
    result = assert_equal_to_micro(absolute(a, out), EVERY_VALUE)
    assert (result.min(), result.max(), result[0, 0]) == (0, 127, 127)


def test_float_values_are_exact() -> None:
    a, out = (T((2, 9), "float32") for _ in range(2))
    assert_equal_to_micro(absolute(a, out), random_float(5, 2, 9))
