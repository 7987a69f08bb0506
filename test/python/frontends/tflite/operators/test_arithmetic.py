from __future__ import annotations

import numpy as np
import pytest
from reference import assert_equal_to_micro, micro, ours, random_float, random_int8

from build import Op, T, constant, single

OPTIONS = {"ADD": "AddOptions", "SUB": "SubOptions", "MUL": "MulOptions"}
EVERY_PAIR = (
    np.repeat(np.arange(-128, 128, dtype=np.int8), 256).reshape(1, 256, 256),
    np.tile(np.arange(-128, 128, dtype=np.int8), 256).reshape(1, 256, 256),
)


def binary(name: str, a: T, b: T, out: T, activation: int = 0) -> bytes:
    options = OPTIONS.get(name, "MaximumMinimumOptions")
    fields = {"FusedActivationFunction": activation} if name in OPTIONS else {}
    return single(Op(name, [0, 1], [2], options, fields, 2), [a, b, out])


@pytest.mark.parametrize("name", ["ADD", "SUB", "MUL"])
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


@pytest.mark.parametrize("name", ["ADD", "SUB", "MUL"])
def test_fused_activation_clamps(name: str) -> None:
    tensors = [T((1, 256, 256), "int8", 0.05, 3) for _ in range(3)]
    result = assert_equal_to_micro(binary(name, *tensors, activation=3), *EVERY_PAIR)
    # 0 is stored as 3, 6 as 3 + 120.
    assert (result.min(), result.max()) == (3, 123)


@pytest.mark.parametrize("name", ["ADD", "SUB", "MUL"])
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


@pytest.mark.parametrize("name", ["MINIMUM", "MAXIMUM"])
def test_extrema_are_exact(name: str) -> None:
    tensors = [T((1, 256, 256), "int8", 0.05, 3) for _ in range(3)]
    assert_equal_to_micro(binary(name, *tensors), *EVERY_PAIR)


@pytest.mark.parametrize("name", ["ADD", "SUB", "MUL", "MINIMUM", "MAXIMUM"])
def test_float_arithmetic_is_exact(name: str) -> None:
    tensors = [T((2, 9), "float32") for _ in range(3)]
    assert_equal_to_micro(binary(name, *tensors), random_float(5, 2, 9), random_float(6, 2, 9))


@pytest.mark.parametrize(
    ("shape", "axes", "keep"),
    [
        ((1, 7, 7, 20), [1, 2], True),
        ((1, 7, 5, 20), [2, 1], False),
        ((2, 6, 3), [2], False),
        ((2, 6, 3), [-1], True),
        ((2, 3, 4, 5), [1, 3], False),
        ((1, 4, 4, 3), [0, 1, 2, 3], True),
        ((1, 1, 1, 8), [1, 2], True),
    ],
)
@pytest.mark.parametrize("scales", [(0.05, 0.05), (0.02, 0.0123), (0.004, 0.3)])
def test_mean_is_exact(
    shape: tuple[int, ...], axes: list[int], keep: bool, scales: tuple[float, float]
) -> None:
    out = np.zeros(shape).mean(tuple(axes), keepdims=keep).shape
    tensors = [T(shape, "int8", scales[0], -11), constant(axes), T(out, "int8", scales[1], 25)]
    file = single(Op("MEAN", [0, 1], [2], "ReducerOptions", {"KeepDims": keep}, 2), tensors)
    assert_equal_to_micro(file, random_int8(7, *shape))


def test_float_mean_is_close() -> None:
    tensors = [T((1, 5, 6, 4), "float32"), constant([1, 2]), T((1, 4), "float32")]
    file = single(Op("MEAN", [0, 1], [2], "ReducerOptions", {"KeepDims": False}), tensors)
    inputs = [random_float(8, 1, 5, 6, 4)]
    np.testing.assert_allclose(ours(file, inputs)[0], micro(file, inputs)[0], rtol=1e-6, atol=1e-6)
