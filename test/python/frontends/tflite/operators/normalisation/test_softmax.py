from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Graph, Op, T, build, constant, single
from common.tflite_engines import assert_all_equal_micro
from common.tflite_reference import assert_equal_to_micro, random_float

import forebay


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


@pytest.mark.parametrize(
    ("name", "dtype", "data"),
    [
        ("SOFTMAX", "float32", 4),
        ("SOFTMAX", "int8", 1),
        ("SOFTMAX", "int16", 2),
        ("LOG_SOFTMAX", "float32", 4),
        ("LOG_SOFTMAX", "int8", 1),
    ],
)
@pytest.mark.parametrize("shape", [(16, 8), (1, 13, 5), (2, 4, 7, 16)])
def test_rows_take_no_workspace(
    name: str, dtype: str, data: int, shape: tuple[int, ...], tmp_path: Path
) -> None:
    """Beside input and result; what is kept of each row is a local variable. Sizes are in bytes."""
    a, out = {
        ("SOFTMAX", "int8"): (T(shape, dtype, 0.0625, 4), T(shape, dtype, 1 / 256, -128)),
        ("SOFTMAX", "int16"): (T(shape, dtype, 0.001), T(shape, dtype, 2.0**-15)),
        ("LOG_SOFTMAX", "int8"): (T(shape, dtype, 0.0625, 4), T(shape, dtype, 1 / 16, 127)),
    }.get((name, dtype), (T(shape, dtype), T(shape, dtype)))
    options = {"SOFTMAX": "SoftmaxOptions", "LOG_SOFTMAX": "LogSoftmaxOptions"}[name]
    file = unary(name, a, out, options, **({"Beta": 1.0} if name == "SOFTMAX" else {}))
    (tmp_path / "rows.tflite").write_bytes(file)
    plan = forebay.compile(tmp_path / "rows.tflite", io="pool").plan
    size = int(np.prod(shape)) * data
    assert plan.peak("workspace") == -(-size // 16) * 16 + size
    values = random_float(1, *shape) * (1 if dtype == "float32" else 20)
    assert_all_equal_micro(file, tmp_path, values.astype(dtype))


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
