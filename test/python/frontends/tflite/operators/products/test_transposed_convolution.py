from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Op, T, constant, single
from common.tflite_reference import micro, random_int8

import forebay


@pytest.mark.parametrize("cpu", ["cortex-m55", "cortex-m4", "x86-64-v3"])
@pytest.mark.parametrize("stride", [1, 2])
def test_images_by_processor(cpu: str, stride: int, tmp_path: Path) -> None:
    # The images are the innermost of the parallel loops, inside of those of the weights.
    shape = (2, 3 * stride, 5 * stride, 3)
    weights = random_int8(2, 3, 2, 3, 12)
    tensors = [
        constant(shape),
        T(weights.shape, "int8", 0.01, 0, np.maximum(weights, -127)),
        T((2, 3, 5, 12), "int8", 0.1, 3),
        T(shape, "int8", 0.2, 1),
    ]
    fields = {"StrideH": stride, "StrideW": stride, "Padding": 0}
    file = single(Op("TRANSPOSE_CONV", [0, 1, 2], [3], "TransposeConvOptions", fields), tensors)
    path = tmp_path / "network.tflite"
    path.write_bytes(file)
    x = random_int8(1, 2, 3, 5, 12)
    found = forebay.compile(path, cpu=cpu).run(x, engine="c")
    np.testing.assert_array_equal(found, micro(file, [x])[0])
