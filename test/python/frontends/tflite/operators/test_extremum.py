from __future__ import annotations

import pytest
from common.model_file import T
from common.models.two_operands import EVERY_PAIR, binary
from common.tflite_reference import assert_equal_to_micro, random_float


@pytest.mark.parametrize("name", ["MINIMUM", "MAXIMUM"])
def test_extrema_are_exact(name: str) -> None:
    tensors = [T((1, 256, 256), "int8", 0.05, 3) for _ in range(3)]
    assert_equal_to_micro(binary(name, *tensors), *EVERY_PAIR)


@pytest.mark.parametrize("name", ["MINIMUM", "MAXIMUM"])
def test_float_arithmetic_is_exact(name: str) -> None:
    tensors = [T((2, 9), "float32") for _ in range(3)]
    assert_equal_to_micro(binary(name, *tensors), random_float(5, 2, 9), random_float(6, 2, 9))
