"""Window, scaling and energy: TFLite Micro's bits, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Op, T, constant, single
from common.tflite_engines import assert_all_equal_micro
from mlir import ir

from forebay.frontends.errors import MalformedModel
from forebay.frontends.tflite import import_model


def samples(seed: int, spread: float, *shape: int) -> np.ndarray:
    drawn = np.random.default_rng(seed).normal(0, spread, shape)
    return np.clip(drawn, -32768, 32767).astype(np.int16)


@pytest.mark.parametrize("shift", [0, 9, 15])
def test_windows_have_tflite_micros_bits(tmp_path: Path, shift: int) -> None:
    window = constant(samples(1, 9000, 20), "int16")
    tensors = [T((3, 20), "int16"), window, T((3, 20), "int16")]
    file = single(Op("SignalWindow", [0, 1], [2], custom={"shift": shift}), tensors)
    assert_all_equal_micro(file, tmp_path, samples(2, 20_000, 3, 20))


@pytest.mark.parametrize(
    "first", [[0], [1], [-1], [100, -3000], [16384], [-16384], [32767], [-32768, 5], [7, -32768]]
)
def test_scales_have_tflite_micros_bits(tmp_path: Path, first: list[int]) -> None:
    tensors = [T((8,), "int16"), T((8,), "int16"), T((), "int32")]
    file = single(Op("SignalFftAutoScale", [0], [1, 2], custom={}), tensors)
    x = np.zeros(8, np.int16)
    x[2 : 2 + len(first)] = first
    assert_all_equal_micro(file, tmp_path, x)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "its option 'shift' is None, not a number from 0 to 31"),
        ({"shift": 40}, "its option 'shift' is 40"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, object], message: str) -> None:
    window = constant(np.ones(4, np.int16), "int16")
    tensors = [T((4,), "int16"), window, T((4,), "int16")]
    file = single(Op("SignalWindow", [0, 1], [2], custom=options), tensors)
    with ir.Context(), pytest.raises(MalformedModel, match=message):
        import_model(file)
