from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Op, T, constant, single
from common.tflite_reference import micro, random_int8

import forebay


# With several images, their loop is inside of those of the weights. With one image of one channel,
# the loops that limit the weights are the innermost ones.
@pytest.mark.parametrize("sizes", [(2, 3, 12), (1, 1, 4)])
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("cpu", ["cortex-m55", "cortex-m4", "x86-64-v3"])
def test_equals_tflite_micro_on_each_processor(
    cpu: str, stride: int, sizes: tuple[int, int, int], tmp_path: Path
) -> None:
    images, channels, depth = sizes
    shape = (images, 3 * stride, 5 * stride, channels)
    weights = np.maximum(random_int8(2, channels, 2, 3, depth), -127)
    tensors = [
        constant(shape),
        T(weights.shape, "int8", 0.01, 0, weights),
        T((images, 3, 5, depth), "int8", 0.1, 3),
        T(shape, "int8", 0.2, 1),
    ]
    fields = {"StrideH": stride, "StrideW": stride, "Padding": 0}
    file = single(Op("TRANSPOSE_CONV", [0, 1, 2], [3], "TransposeConvOptions", fields), tensors)
    path = tmp_path / "network.tflite"
    path.write_bytes(file)
    x = random_int8(1, images, 3, 5, depth)
    found = forebay.compile(path, cpu=cpu).run(x, engine="c")
    np.testing.assert_array_equal(found, micro(file, [x])[0])
