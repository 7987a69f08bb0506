"""L2_NORMALIZATION of int8 and float32 on every engine; rows of zeros, of one, and long ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Op, T, single
from common.tflite_engines import assert_all_equal_micro
from common.tflite_reference import random_float, random_int8
from mlir import ir

from forebay.frontends.errors import UnsupportedModel
from forebay.frontends.tflite import import_model


def network(a: T, out: T, activation: int = 0) -> bytes:
    fields = {"FusedActivationFunction": activation}
    return single(Op("L2_NORMALIZATION", [0], [1], "L2NormOptions", fields), [a, out])


@pytest.mark.parametrize("zero_point", [-128, -3, 0, 127])
def test_int8_has_tflite_micros_bits(tmp_path: Path, zero_point: int) -> None:
    shape = (3, 5, 7)
    a, out = T(shape, "int8", 0.05, zero_point), T(shape, "int8", 1 / 128, 0)
    x = random_int8(1, *shape)
    x[0, 0] = zero_point
    x[0, 1] = zero_point
    x[0, 1, 3] = np.clip(zero_point + 1, -128, 127)
    assert_all_equal_micro(network(a, out), tmp_path, x)


@pytest.mark.parametrize("columns", [1, 2, 300, 8300])
def test_sums_of_any_size_have_tflite_micros_bits(tmp_path: Path, columns: int) -> None:
    a, out = T((2, columns), "int8", 0.05, -128), T((2, columns), "int8", 1 / 128, 0)
    x = random_int8(columns, 2, columns)
    x[0] = 127
    assert_all_equal_micro(network(a, out), tmp_path, x)


def test_floats_are_close(tmp_path: Path) -> None:
    x = random_float(1, 4, 6)
    x[1] = 0
    assert_all_equal_micro(network(T((4, 6), "float32"), T((4, 6), "float32")), tmp_path, x)


def test_a_fused_activation_is_refused() -> None:
    tensors = T((4, 6), "float32"), T((4, 6), "float32")
    with (
        ir.Context(),
        pytest.raises(UnsupportedModel, match="a fused activation; use"),
    ):
        import_model(network(*tensors, activation=1))


def test_sums_outside_of_32_bits_are_refused() -> None:
    tensors = T((1, 33_100), "int8", 0.05, -128), T((1, 33_100), "int8", 1 / 128, 0)
    with (
        ir.Context(),
        pytest.raises(UnsupportedModel, match="squares may leave 32 bits"),
    ):
        import_model(network(*tensors))
