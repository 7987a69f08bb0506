from __future__ import annotations

import numpy as np
import pytest
from common.model_file import Op, T, single
from common.tflite_reference import assert_equal_to_micro


def unary(name: str, a: T, out: T, options: str = "", **fields: object) -> bytes:
    return single(Op(name, [0], [1], options, fields), [a, out])


@pytest.mark.parametrize("scale", [0.01, 0.0625, 0.1017, 0.5, 2.0])
@pytest.mark.parametrize("beta", [1.0, 0.5])
@pytest.mark.parametrize("shape", [(1, 10), (4, 33), (2, 3, 5)])
def test_softmax_is_exact(scale: float, beta: float, shape: tuple[int, ...]) -> None:
    a, out = T(shape, "int8", scale, 4), T(shape, "int8", 1 / 256, -128)
    file = unary("SOFTMAX", a, out, "SoftmaxOptions", Beta=beta)
    values = np.random.default_rng(2).integers(-128, 128, shape, dtype=np.int8)
    assert_equal_to_micro(file, values)
    assert_equal_to_micro(file, (values // 16).astype(np.int8))
