from __future__ import annotations

import numpy as np
import pytest
from common.model_file import T
from common.models.two_operands import EVERY_PAIR, binary
from common.tflite_reference import assert_equal_to_micro, random_float, random_int8


@pytest.mark.parametrize("name", ["ADD", "SUB"])
@pytest.mark.parametrize(
    ("scales", "zero_points"),
    [
        ((0.05, 0.05, 0.09), (-3, 4, 5)),
        ((0.0613, 0.0171, 0.0777), (-128, -128, -128)),
        ((0.013, 0.91, 0.73), (0, 127, -20)),
        ((0.7, 0.0003, 0.4), (10, -10, 0)),
    ],
)
def test_every_pair_of_values_is_exact(
    name: str, scales: tuple[float, ...], zero_points: tuple[int, ...]
) -> None:
    shape = (1, 256, 256)
    tensors = [T(shape, "int8", s, z) for s, z in zip(scales, zero_points, strict=True)]
    assert_equal_to_micro(binary(name, *tensors), *EVERY_PAIR)


@pytest.mark.parametrize("name", ["ADD", "SUB"])
def test_fused_activation_clamps(name: str) -> None:
    tensors = [T((1, 256, 256), "int8", 0.05, 3) for _ in range(3)]
    result = assert_equal_to_micro(binary(name, *tensors, activation=3), *EVERY_PAIR)
    # 0 is stored as 3, 6 as 3 + 120.
    assert (result.min(), result.max()) == (3, 123)


@pytest.mark.parametrize("name", ["ADD", "SUB"])
@pytest.mark.parametrize("shape", [(1, 1, 1, 5), (1, 4, 1, 1), (5,), ()])
def test_operands_broadcast(name: str, shape: tuple[int, ...]) -> None:
    big, small = T((2, 4, 3, 5), "int8", 0.05, 3), T(shape, "int8", 0.02, -7)
    out = T((2, 4, 3, 5), "int8", 0.06, 1)
    small.data = random_int8(1, *shape)
    assert_equal_to_micro(binary(name, big, small, out), random_int8(2, 2, 4, 3, 5))


def test_first_operand_broadcasts() -> None:
    small, big = T((1, 1, 1, 5), "int8", 0.05, 3), T((2, 4, 3, 5), "int8", 0.02, -7)
    out = T((2, 4, 3, 5), "int8", 0.06, 1)
    file = binary("SUB", small, big, out)
    assert_equal_to_micro(file, random_int8(3, 1, 1, 1, 5), random_int8(4, 2, 4, 3, 5))


@pytest.mark.parametrize("name", ["ADD", "SUB"])
def test_float_arithmetic_is_exact(name: str) -> None:
    tensors = [T((2, 9), "float32") for _ in range(3)]
    assert_equal_to_micro(binary(name, *tensors), random_float(5, 2, 9), random_float(6, 2, 9))


@pytest.mark.parametrize("activation", [1, 2, 3])
@pytest.mark.parametrize("name", ["ADD", "SUB"])
def test_only_add_of_int32_ignores_its_activation(name: str, activation: int) -> None:
    numbers = np.arange(-9, 10, dtype=np.int32)
    tensors = [T((19,), "int32")] * 3
    operands = numbers, np.zeros_like(numbers)
    result = assert_equal_to_micro(binary(name, *tensors, activation=activation), *operands)
    assert (result.min() < -1) == (name == "ADD")
