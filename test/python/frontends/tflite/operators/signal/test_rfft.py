"""The transform of int16: TFLite Micro's bits for each power of two."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Op, T, single
from common.sweep import sweep
from common.tflite_engines import assert_all_equal_micro
from mlir import ir

from forebay.frontends.errors import UnsupportedModel
from forebay.frontends.tflite import import_model


def network(samples: int, length: int) -> bytes:
    tensors = [T((samples,), "int16"), T((length + 2,), "int16")]
    return single(Op("SignalRfft", [0], [1], custom={"T": 7, "fft_length": length}), tensors)


@pytest.mark.parametrize(
    "sizes", sweep([(64, 64), (4, 4), (8, 8), (30, 32), (128, 128), (400, 512)], 2)
)
@pytest.mark.parametrize("spread", [300, 40_000])
def test_any_length_has_tflite_micros_bits(
    tmp_path: Path, sizes: tuple[int, int], spread: int
) -> None:
    samples, length = sizes
    drawn = np.random.default_rng(length).normal(0, spread, samples)
    x = np.clip(drawn, -32768, 32767).astype(np.int16)
    assert_all_equal_micro(network(samples, length), tmp_path, x)


def test_other_lengths_are_refused() -> None:
    with ir.Context(), pytest.raises(UnsupportedModel, match="a transform of 48; use a power of"):
        import_model(network(48, 48))
