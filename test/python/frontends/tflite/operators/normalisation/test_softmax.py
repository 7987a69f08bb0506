from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Graph, Op, T, build, constant, single
from common.tflite_engines import assert_all_equal_micro
from common.tflite_reference import assert_equal_to_micro, random_float


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


def test_a_softmax_that_is_broadcast_is_divided_once(tmp_path: Path) -> None:
    """Attention pooling: a weight for each step, which all channels are multiplied by."""
    tensors = [
        T((2, 3), "float32"),
        T((2, 3), "float32"),
        constant([2, 3, 1]),
        T((2, 3, 1), "float32"),
        T((2, 3, 8), "float32"),
        T((2, 3, 8), "float32"),
    ]
    operators = [
        Op("SOFTMAX", [0], [1], "SoftmaxOptions", {"Beta": 1.0}),
        Op("RESHAPE", [1, 2], [3], "ReshapeOptions", {"NewShape": [2, 3, 1]}),
        Op("MUL", [4, 3], [5], "MulOptions"),
    ]
    file = build(Graph(tensors, [0, 4], [5], operators))
    assert_all_equal_micro(file, tmp_path, random_float(1, 2, 3), random_float(2, 2, 3, 8))
