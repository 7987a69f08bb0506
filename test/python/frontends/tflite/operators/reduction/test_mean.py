from __future__ import annotations

import numpy as np
import pytest
from common.model_file import Op, T, constant, single
from common.tflite_reference import assert_equal_to_micro, micro, ours, random_float, random_int8


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
