from __future__ import annotations

import numpy as np
import pytest
from common.model_file import Op, T, constant, single
from common.tflite_reference import assert_equal_to_micro, random_int8

Q = (0.05, -7)


@pytest.mark.parametrize(
    ("shape", "paddings"),
    [((1, 4, 5, 3), [[0, 0], [1, 2], [0, 3], [0, 0]]), ((4, 3), [[2, 0], [0, 1]])],
)
@pytest.mark.parametrize("version_2", [False, True])
def test_pad_is_exact(shape: tuple[int, ...], paddings: list[list[int]], version_2: bool) -> None:
    out = tuple(d + sum(p) for d, p in zip(shape, paddings, strict=True))
    tensors = [T(shape, "int8", *Q), constant(paddings), T(out, "int8", *Q)]
    op = Op("PAD", [0, 1], [2], "PadOptions")
    if version_2:
        tensors.append(T((), "int8", *Q, data=np.array(33)))
        op = Op("PADV2", [0, 1, 3], [2], "PadV2Options")
    assert_equal_to_micro(single(op, tensors), random_int8(1, *shape))
