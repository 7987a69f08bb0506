from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from common.model_file import Op, T, single
from common.tflite_reference import (
    assert_equal_to_micro,
    compiled,
    micro,
    ours,
    random_float,
    random_int8,
)
from mlir import ir

from forebay.frontends.tflite import UnsupportedModel, import_model

SAME, VALID = 0, 1


@dataclass(frozen=True)
class Windows:
    size: tuple[int, int]
    kernel: tuple[int, int]
    stride: tuple[int, int]
    padding: int
    out: tuple[int, int]


def pooling(name: str, windows: Windows, dtype: str = "int8", activation: int = 0) -> bytes:
    scale = 0.05 if dtype == "int8" else None
    shapes = [(1, *windows.size, 3), (1, *windows.out, 3)]
    tensors = [T(shape, dtype, scale, -6) for shape in shapes]
    fields = {
        "Padding": windows.padding,
        "FilterHeight": windows.kernel[0],
        "FilterWidth": windows.kernel[1],
        "StrideH": windows.stride[0],
        "StrideW": windows.stride[1],
        "FusedActivationFunction": activation,
    }
    return single(Op(name, [0], [1], "Pool2DOptions", fields, 2), tensors)


@pytest.mark.parametrize("name", ["AVERAGE_POOL_2D", "MAX_POOL_2D"])
@pytest.mark.parametrize(
    "windows",
    [
        Windows((8, 8), (2, 2), (2, 2), VALID, (4, 4)),
        Windows((9, 8), (2, 3), (2, 2), VALID, (4, 3)),  # the last row and column are unread
        Windows((7, 7), (3, 3), (2, 2), SAME, (4, 4)),
        Windows((5, 6), (3, 3), (1, 1), SAME, (5, 6)),
        Windows((25, 5), (25, 5), (25, 5), VALID, (1, 1)),
        Windows((5, 5), (1, 1), (3, 3), SAME, (2, 2)),
    ],
)
def test_pools_are_exact(name: str, windows: Windows) -> None:
    file = pooling(name, windows)
    for seed in range(3):
        assert_equal_to_micro(file, random_int8(seed, 1, *windows.size, 3))


@pytest.mark.parametrize("kernel", [(2, 2), (2, 3), (4, 4), (5, 5), (7, 9)])
def test_averages_round_halves_away_from_zero(kernel: tuple[int, int]) -> None:
    # Every sum near zero: neighbours of each multiple and of each half of the window's size.
    file = pooling("AVERAGE_POOL_2D", Windows(kernel, kernel, (1, 1), VALID, (1, 1)))
    count = kernel[0] * kernel[1]
    jit = compiled(file)
    for total in range(-3 * count, 3 * count + 1):
        values = np.full(count, total // count, np.int8)
        values[: total % count] += 1
        inputs = [np.repeat(values, 3).reshape(1, *kernel, 3)]
        magnitude = (abs(total) + count // 2) // count
        assert jit(*inputs)[0].ravel()[0] == (magnitude if total > 0 else -magnitude)


def test_activation_clamps_the_pool() -> None:
    file = pooling("MAX_POOL_2D", Windows((4, 4), (2, 2), (2, 2), VALID, (2, 2)), activation=3)
    result = assert_equal_to_micro(file, random_int8(4, 1, 4, 4, 3))
    assert result.min() >= -6
    assert result.max() <= 114  # 6 / 0.05 - 6


@pytest.mark.parametrize("name", ["AVERAGE_POOL_2D", "MAX_POOL_2D"])
def test_float_pools_are_close(name: str) -> None:
    file = pooling(name, Windows((7, 7), (3, 3), (2, 2), SAME, (4, 4)), "float32")
    inputs = [random_float(5, 1, 7, 7, 3)]
    np.testing.assert_allclose(ours(file, inputs)[0], micro(file, inputs)[0], rtol=1e-6)


def test_a_pool_that_changes_the_scale_is_refused(context: ir.Context) -> None:
    tensors = [T((1, 4, 4, 1), "int8", 0.5), T((1, 2, 2, 1), "int8", 0.25)]
    fields = {"Padding": VALID, "FilterHeight": 2, "FilterWidth": 2, "StrideH": 2, "StrideW": 2}
    with pytest.raises(UnsupportedModel) as error:
        import_model(single(Op("AVERAGE_POOL_2D", [0], [1], "Pool2DOptions", fields), tensors))
    assert str(error.value) == (
        "model.tflite: operator 0 (AVERAGE_POOL_2D): not supported: 't0' quantised unlike 't1'; "
        "quantise both with one scale"
    )
