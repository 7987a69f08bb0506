from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Op, T, constant, single
from common.tflite_engines import assert_all_equal_micro, assert_all_give
from mlir import ir

from forebay.frontends.tflite import MalformedModel, import_model


def binary(name: str, dtype: str, **fields: object) -> bytes:
    tensors = [T((2, 3, 40), dtype), T((3, 1), dtype), T((2, 3, 40), dtype)]
    options = {"DIV": "DivOptions"}.get(name, "")
    return single(Op(name, [0, 1], [2], options, fields), tensors)


def operands(dtype: str) -> list[np.ndarray]:
    rng = np.random.default_rng(3)
    if dtype == "float32":
        shapes = ((2, 3, 40), (3, 1))
        return [(rng.standard_normal(shape) * 9).astype(np.float32) for shape in shapes]
    a = rng.integers(-100, 100, (2, 3, 40)).astype(dtype)
    return [a, np.array([[7], [-3], [1]], dtype)]


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("DIV", "float32"),
        ("FLOOR_DIV", "float32"),
        ("FLOOR_MOD", "float32"),
        ("SQUARED_DIFFERENCE", "float32"),
        ("SQUARED_DIFFERENCE", "int32"),
    ],
)
def test_equals_tflite_micro(name: str, dtype: str, tmp_path: Path) -> None:
    assert_all_equal_micro(binary(name, dtype), tmp_path, *operands(dtype))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("DIV", lambda a, b: np.trunc(a / b).astype(np.int32)),
        ("FLOOR_DIV", lambda a, b: a // b),
        ("FLOOR_MOD", lambda a, b: a % b),
    ],
)
def test_integers_divide(name: str, expected: object, tmp_path: Path) -> None:
    a, b = operands("int32")
    assert_all_give(binary(name, "int32"), tmp_path, [a, b], [expected(a, b)])


def test_powers(tmp_path: Path) -> None:
    a, b = operands("float32")
    a = np.abs(a) / 4
    wanted = np.power(a.astype(np.float64), b)
    assert_all_give(binary("POW", "float32"), tmp_path, [a, b], [wanted.astype(np.float32)])


def test_squared_difference_of_all_pairs_of_int8(tmp_path: Path) -> None:
    every = np.arange(-128, 128, dtype=np.int8)
    tensors = [
        T((256, 1), "int8", 0.05, 3),
        T((1, 256), "int8", 0.03, -7),
        T((256, 256), "int8", 0.2, -90),
    ]
    file = single(Op("SQUARED_DIFFERENCE", [0, 1], [2], version=2), tensors)
    assert_all_equal_micro(file, tmp_path, every[:, None], every[None])


def test_a_constant_divisor_of_zero_is_malformed(context: ir.Context) -> None:
    tensors = [T((2,), "int32"), constant([1, 0]), T((2,), "int32")]
    with pytest.raises(MalformedModel, match="divides by zero"):
        import_model(single(Op("FLOOR_DIV", [0, 1], [2]), tensors))
