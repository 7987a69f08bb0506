"""Float data with int8 weights: rows are quantised at run time, as LiteRT does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Op, T, constant, single
from common.tflite_engines import assert_all_give
from mlir import ir

from forebay.frontends.tflite import UnsupportedModel, import_model

WEIGHTS = np.random.default_rng(2).integers(-127, 128, (7, 30), dtype=np.int8)
BIAS = np.random.default_rng(3).standard_normal(7).astype(np.float32)


def network(*, with_bias: bool, asymmetric: bool = False) -> bytes:
    tensors = [
        T((3, 30), "float32"),
        T((7, 30), "int8", 0.01, data=WEIGHTS),
        T((3, 7), "float32"),
        constant(BIAS, "float32"),
    ]
    inputs = [0, 1, 3] if with_bias else [0, 1]
    fields = {"AsymmetricQuantizeInputs": asymmetric}
    return single(Op("FULLY_CONNECTED", inputs, [2], "FullyConnectedOptions", fields, 9), tensors)


def expected(x: np.ndarray, bias: np.ndarray) -> np.ndarray:
    largest = np.abs(x).max(-1, keepdims=True)
    used = np.where(largest == 0, np.float32(1), largest)
    scaled = x * (np.float32(127) / used)
    stored = np.copysign(np.floor(np.abs(scaled.astype(np.float64)) + 0.5), scaled)
    sums = stored.astype(np.int64) @ WEIGHTS.astype(np.int64).T
    factor = np.where(largest == 0, np.float32(1), largest / np.float32(127)) * np.float32(0.01)
    return bias + sums.astype(np.float32) * factor


@pytest.mark.parametrize("with_bias", [False, True])
def test_rows_are_quantised_one_by_one(with_bias: bool, tmp_path: Path) -> None:
    x = np.random.default_rng(1).standard_normal((3, 30)).astype(np.float32)
    x[1] *= 1000
    x[2] = 0
    wanted = expected(x, BIAS if with_bias else np.zeros(7, np.float32))
    assert_all_give(network(with_bias=with_bias), tmp_path, [x], [wanted])


def test_asymmetric_inputs_are_refused(context: ir.Context) -> None:
    with pytest.raises(UnsupportedModel, match="asymmetrically"):
        import_model(network(with_bias=True, asymmetric=True))
