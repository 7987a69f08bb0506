from __future__ import annotations

import numpy as np
import pytest
from common.model_file import Op, T, single
from common.tflite_reference import assert_equal_to_micro, random_int8

Q = (0.05, -7)


@pytest.mark.parametrize("axis", [1, 3, -1])
def test_concatenation_is_exact(axis: int) -> None:
    shapes = [(1, 2, 3, 4), (1, 2, 3, 4), (1, 2, 3, 4)]
    out = np.concatenate([np.zeros(s) for s in shapes], axis).shape
    tensors = [*(T(s, "int8", *Q) for s in shapes), T(out, "int8", *Q)]
    op = Op("CONCATENATION", [0, 1, 2], [3], "ConcatenationOptions", {"Axis": axis})
    assert_equal_to_micro(single(op, tensors), *(random_int8(i, *s) for i, s in enumerate(shapes)))


@pytest.mark.parametrize(("axis", "out"), [(0, (2, 3, 4)), (1, (3, 2, 4)), (-1, (3, 4, 2))])
def test_pack_is_exact(axis: int, out: tuple[int, ...]) -> None:
    tensors = [T((3, 4), "int8", *Q), T((3, 4), "int8", *Q), T(out, "int8", *Q)]
    op = Op("PACK", [0, 1], [2], "PackOptions", {"ValuesCount": 2, "Axis": axis})
    assert_equal_to_micro(single(op, tensors), random_int8(1, 3, 4), random_int8(2, 3, 4))
