from __future__ import annotations

import pytest
from common.model_file import Op, T, constant, single
from common.tflite_reference import assert_equal_to_micro, random_int8

Q = (0.05, -7)


@pytest.mark.parametrize("permutation", [[0, 3, 1, 2], [3, 2, 1, 0], [0, 2, 1, 3]])
def test_transpose_is_exact(permutation: list[int]) -> None:
    shape = (1, 2, 3, 4)
    out = tuple(shape[p] for p in permutation)
    tensors = [T(shape, "int8", *Q), constant(permutation), T(out, "int8", *Q)]
    op = Op("TRANSPOSE", [0, 1], [2], "TransposeOptions")
    assert_equal_to_micro(single(op, tensors), random_int8(1, *shape))
