from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Op, T, constant, single
from common.tflite_engines import assert_all_equal_micro, assert_all_give
from common.tflite_reference import micro, ours, random_int8
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


@pytest.mark.parametrize("activation", [0, 1])
@pytest.mark.parametrize(
    ("a", "b", "out"),
    [
        ((0.05, 0), (0.05, 0), (0.05, 0)),
        ((0.05, 3), (0.03, -128), (0.2, -90)),
        ((0.01, 3), (0.03, -128), (0.5, 0)),
        ((1.0, 0), (0.01, -128), (0.01, 0)),
        ((0.9, -20), (0.007, 9), (0.03, 12)),
    ],
)
def test_quotients_of_all_pairs_of_int8(
    a: tuple[float, int], b: tuple[float, int], out: tuple[float, int], activation: int
) -> None:
    every = np.arange(-128, 128, dtype=np.int8)
    divisors = every[every != b[1]]
    tensors = [T((256, 1), "int8", *a), T((1, 255), "int8", *b), T((256, 255), "int8", *out)]
    fields = {"FusedActivationFunction": activation}
    file = single(Op("DIV", [0, 1], [2], "DivOptions", fields), tensors)
    inputs = [every[:, None], divisors[None]]
    (found,), (wanted,) = ours(file, inputs), micro(file, inputs)
    numerators, by = (x.astype(int) - q[1] for x, q in zip(inputs, (a, b), strict=True))
    ratio = np.float32(a[0]) / (np.float32(b[0]) * np.float32(out[0]))
    signed = numerators * np.sign(by)
    bits = np.frexp(np.where(signed < 0, -1 - signed, signed))[1]
    shifted = (31 - bits) + (np.frexp(abs(by))[1] - 1) - np.frexp(ratio)[1]
    is_defined = shifted <= 31
    np.testing.assert_array_equal(found[is_defined], wanted[is_defined])
    assert is_defined.mean() > 0.5
    assert (found[~is_defined] == out[1]).all()


def test_quotients_of_int8_on_every_engine(tmp_path: Path) -> None:
    quantizations = ((0.3, -4), (0.02, 100), (0.11, 5))
    shapes = ((2, 3, 40), (3, 1), (2, 3, 40))
    tensors = [T(s, "int8", *q) for s, q in zip(shapes, quantizations, strict=True)]
    file = single(Op("DIV", [0, 1], [2], "DivOptions", {}), tensors)
    numerators = random_int8(1, 2, 3, 40)
    assert_all_equal_micro(file, tmp_path, numerators, np.array([[7], [-3], [101]], np.int8))


def test_a_constant_divisor_of_zero_is_malformed(context: ir.Context) -> None:
    tensors = [T((2,), "int32"), constant([1, 0]), T((2,), "int32")]
    with pytest.raises(MalformedModel, match="divides by zero"):
        import_model(single(Op("FLOOR_DIV", [0, 1], [2]), tensors))
