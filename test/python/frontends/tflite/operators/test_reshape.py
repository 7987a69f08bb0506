from __future__ import annotations

import numpy as np
import pytest
from common.model_file import Op, T, constant, single
from common.tflite_reference import assert_equal_to_micro, random_int8

Q = (0.05, -7)


@pytest.mark.parametrize("new_shape", [[4, 6], [-1, 3], [2, -1, 2, 1]])
def test_reshape_is_exact(new_shape: list[int]) -> None:
    out = np.zeros(24).reshape(new_shape).shape
    tensors = [T((2, 3, 4), "int8", *Q), constant(new_shape), T(out, "int8", *Q)]
    op = Op("RESHAPE", [0, 1], [2], "ReshapeOptions", {"NewShape": new_shape})
    assert_equal_to_micro(single(op, tensors), random_int8(1, 2, 3, 4))


@pytest.mark.parametrize(("axes", "out"), [([], (2, 3)), ([1], (2, 3, 1)), ([-1], (2, 1, 3))])
def test_squeeze_is_exact(axes: list[int], out: tuple[int, ...]) -> None:
    tensors = [T((2, 1, 3, 1), "int8", *Q), T(out, "int8", *Q)]
    op = Op("SQUEEZE", [0], [1], "SqueezeOptions", {"SqueezeDims": axes})
    assert_equal_to_micro(single(op, tensors), random_int8(1, 2, 1, 3, 1))


@pytest.mark.parametrize(("axis", "out"), [(0, (1, 2, 3)), (-1, (2, 3, 1)), (1, (2, 1, 3))])
def test_expand_dims_is_exact(axis: int, out: tuple[int, ...]) -> None:
    tensors = [T((2, 3), "int8", *Q), constant([axis]), T(out, "int8", *Q)]
    op = Op("EXPAND_DIMS", [0, 1], [2], "ExpandDimsOptions")
    assert_equal_to_micro(single(op, tensors), random_int8(1, 2, 3))
