"""Float data with int8 weights: rows are quantised at run time, as LiteRT does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Op, T, constant, single
from common.oracles.quantised_rows import asymmetric, symmetric
from common.tflite_engines import assert_all_give

WEIGHTS = np.random.default_rng(2).integers(-127, 128, (7, 30), dtype=np.int8)
BIAS = np.random.default_rng(3).standard_normal(7).astype(np.float32)


def network(*, with_bias: bool, is_asymmetric: bool) -> bytes:
    tensors = [
        T((3, 30), "float32"),
        T((7, 30), "int8", 0.01, data=WEIGHTS),
        T((3, 7), "float32"),
        constant(BIAS, "float32"),
    ]
    inputs = [0, 1, 3] if with_bias else [0, 1]
    fields = {"AsymmetricQuantizeInputs": is_asymmetric}
    return single(Op("FULLY_CONNECTED", inputs, [2], "FullyConnectedOptions", fields, 9), tensors)


def expected(x: np.ndarray, bias: np.ndarray, *, is_asymmetric: bool) -> np.ndarray:
    stored, factors = (asymmetric if is_asymmetric else symmetric)(x)
    sums = stored.astype(np.int64) @ WEIGHTS.astype(np.int64).T
    return bias + sums.astype(np.float32) * (factors * np.float32(0.01))[:, None]


@pytest.mark.parametrize("is_asymmetric", [False, True])
@pytest.mark.parametrize("with_bias", [False, True])
def test_rows_are_quantised_one_by_one(
    with_bias: bool, is_asymmetric: bool, tmp_path: Path
) -> None:
    x = (np.random.default_rng(1).standard_normal((3, 30)) + 0.4).astype(np.float32)
    x[1] *= 1000
    x[2] = 0
    bias = BIAS if with_bias else np.zeros(7, np.float32)
    wanted = expected(x, bias, is_asymmetric=is_asymmetric)
    file = network(with_bias=with_bias, is_asymmetric=is_asymmetric)
    assert_all_give(file, tmp_path, [x], [wanted])
