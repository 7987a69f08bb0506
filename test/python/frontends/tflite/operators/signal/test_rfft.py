"""The real transform and its inverse: TFLite Micro's bits for each power of two."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Op, T, single
from common.sweep import sweep
from common.tflite_engines import assert_all_equal_micro
from mlir import ir

from forebay.frontends.errors import MalformedModel, UnsupportedModel
from forebay.frontends.tflite import import_model

NUMBERS = {"int16": 7, "int32": 2, "float32": 0}
"""Of the types in the schema, which an option states."""


def network(name: str, shape: tuple[int, ...], result: int, length: int, dtype: str) -> bytes:
    tensors = [T(shape, dtype), T((*shape[:-1], result), dtype)]
    options = {"T": NUMBERS[dtype], "fft_length": length}
    return single(Op(name, [0], [1], custom=options), tensors)


def drawn(shape: tuple[int, ...], spread: float, dtype: str) -> np.ndarray:
    values = np.random.default_rng(shape[-1]).normal(0, spread, shape)
    if dtype == "float32":
        return values.astype(dtype)
    info = np.iinfo(dtype)
    return np.clip(values * (1 << (info.bits - 16)), info.min, info.max).astype(dtype)


@pytest.mark.parametrize(
    "sizes", sweep([(64, 64), (4, 4), (8, 8), (30, 32), (128, 128), (400, 512)], 2)
)
@pytest.mark.parametrize("spread", [300, 40_000])
@pytest.mark.parametrize("dtype", list(NUMBERS))
def test_any_length_has_tflite_micros_bits(
    tmp_path: Path, sizes: tuple[int, int], spread: int, dtype: str
) -> None:
    samples, length = sizes
    file = network("SignalRfft", (samples,), length + 2, length, dtype)
    assert_all_equal_micro(file, tmp_path, drawn((samples,), spread, dtype))


@pytest.mark.parametrize("length", sweep([64, 4, 8, 32, 128, 512], 2))
@pytest.mark.parametrize("spread", [300, 40_000])
@pytest.mark.parametrize("dtype", list(NUMBERS))
def test_the_inverse_of_any_length_has_tflite_micros_bits(
    tmp_path: Path, length: int, spread: int, dtype: str
) -> None:
    file = network("SignalIrfft", (length + 2,), length, length, dtype)
    assert_all_equal_micro(file, tmp_path, drawn((length + 2,), spread, dtype))


@pytest.mark.parametrize("dtype", list(NUMBERS))
def test_rows_are_transformed_one_by_one(tmp_path: Path, dtype: str) -> None:
    file = network("SignalRfft", (2, 3, 15), 18, 16, dtype)
    assert_all_equal_micro(file, tmp_path, drawn((2, 3, 15), 3000, dtype))
    file = network("SignalIrfft", (5, 18), 16, 16, dtype)
    assert_all_equal_micro(file, tmp_path, drawn((5, 18), 3000, dtype))


def test_other_lengths_are_refused() -> None:
    with ir.Context(), pytest.raises(UnsupportedModel, match="a transform of 48; use a power of"):
        import_model(network("SignalRfft", (48,), 50, 48, "int16"))


def test_a_spectrum_of_another_length_is_malformed() -> None:
    with ir.Context(), pytest.raises(MalformedModel, match="for a transform of 16"):
        import_model(network("SignalIrfft", (16,), 16, 16, "int16"))
