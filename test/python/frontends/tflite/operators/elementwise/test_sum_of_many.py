"""ADD_N of int8 and float32 on every engine."""

from __future__ import annotations

from pathlib import Path

import pytest
from common.model_file import Op, T, single
from common.tflite_engines import assert_all_equal_micro
from common.tflite_reference import random_float, random_int8
from mlir import ir

from forebay.frontends.errors import UnsupportedModel
from forebay.frontends.tflite import import_model


def network(*tensors: T) -> bytes:
    count = len(tensors) - 1
    return single(Op("ADD_N", list(range(count)), [count], "AddNOptions"), tensors)


@pytest.mark.parametrize("count", [2, 3, 5])
@pytest.mark.parametrize("zero_point", [-128, 5])
def test_int8_has_tflite_micros_bits(tmp_path: Path, count: int, zero_point: int) -> None:
    a, out = T((2, 9), "int8", 0.04, zero_point), T((2, 9), "int8", 0.11, -7)
    inputs = [random_int8(seed, 2, 9) for seed in range(count)]
    assert_all_equal_micro(network(*[a] * count, out), tmp_path, *inputs)


def test_floats_are_added_in_order(tmp_path: Path) -> None:
    inputs = [random_float(seed, 3, 4) for seed in range(4)]
    assert_all_equal_micro(network(*[T((3, 4), "float32")] * 5), tmp_path, *inputs)


def test_different_quantisations_are_refused() -> None:
    tensors = [T((4,), "int8", scale, 0) for scale in (0.1, 0.2, 0.3)]
    with (
        ir.Context(),
        pytest.raises(UnsupportedModel, match="quantised unlike each other"),
    ):
        import_model(network(*tensors))
