"""An SVDF equals TFLite Micro's over several inferences, on every engine."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Graph, Op, T, build, constant
from common.models.tflite_sequences import assert_sequence_equals_micro, assert_sequence_gives
from common.oracles.quantised_rows import asymmetric, symmetric

BATCH, DEPTH, UNITS, RANK, MEMORY = 2, 9, 4, 2, 5
FILTERS = UNITS * RANK


def layer(dtype: str, state: str) -> bytes:
    rng = np.random.default_rng(3)

    def weights(kind: str, scale: float, *shape: int) -> T:
        if kind == "float32":
            return constant(rng.standard_normal(shape), kind)
        most = 127 if kind == "int8" else 3000
        return constant(rng.integers(-most, most, shape), kind, scale=scale)

    is_float = dtype == "float32"
    time = 0.01 if state == "int8" else 0.0003
    kept = {"int8": 0.4, "int16": 0.002}.get(state)
    bias = (
        constant(rng.standard_normal(UNITS), dtype)
        if is_float
        else constant(rng.integers(-500, 500, UNITS), scale=kept * time)
    )
    tensors = [
        T((BATCH, DEPTH), dtype, None if is_float else 0.05, 7),
        weights(dtype, 0.02, FILTERS, DEPTH),
        weights(state, time, FILTERS, MEMORY),
        bias,
        T((BATCH, FILTERS * MEMORY), state, kept, is_variable=True),
        T((BATCH, UNITS), dtype, None if is_float else 0.5, -20),
    ]
    fields = {"Rank": RANK, "FusedActivationFunction": 1}
    op = Op("SVDF", [0, 1, 2, 3, 4], [5], "SVDFOptions", fields, 3)
    return build(Graph(tensors, [0], [5], [op]))


@pytest.mark.parametrize(
    ("dtype", "state"), [("float32", "float32"), ("int8", "int8"), ("int8", "int16")]
)
def test_a_sequence_equals_tflite_micro(dtype: str, state: str, tmp_path: Path) -> None:
    assert_sequence_equals_micro(layer(dtype, state), tmp_path)


@pytest.mark.parametrize("is_asymmetric", [False, True])
def test_inputs_of_int8_weights_are_quantised_at_run_time(
    is_asymmetric: bool, tmp_path: Path
) -> None:
    rng = np.random.default_rng(4)
    features = rng.integers(-127, 128, (FILTERS, DEPTH)).astype(np.int8)
    time = rng.integers(-127, 128, (FILTERS, MEMORY)).astype(np.int8)
    bias = rng.standard_normal(UNITS).astype(np.float32)
    tensors = [
        T((BATCH, DEPTH), "float32"),
        T(features.shape, "int8", 0.02, data=features),
        T(time.shape, "int8", 0.01, data=time),
        constant(bias, "float32"),
        T((BATCH, FILTERS * MEMORY), "float32", is_variable=True),
        T((BATCH, UNITS), "float32"),
    ]
    fields = {"Rank": RANK, "AsymmetricQuantizeInputs": is_asymmetric}
    op = Op("SVDF", [0, 1, 2, 3, 4], [5], "SVDFOptions", fields, 3)
    state = np.zeros((BATCH, FILTERS, MEMORY))
    inputs = rng.standard_normal((4, BATCH, DEPTH)).astype(np.float32)
    inputs[1, 1] = 0
    expected = list[np.ndarray]()
    for x in inputs:
        stored, factors = (asymmetric if is_asymmetric else symmetric)(x)
        newest = stored @ features.T.astype(np.float64) * (factors * np.float32(0.02))[:, None]
        state = np.concatenate([state[..., 1:], newest[..., None]], 2)
        sums = (state * (time * np.float32(0.01))).sum(2).reshape(BATCH, UNITS, RANK).sum(2)
        expected.append((sums + bias).astype(np.float32))
    assert_sequence_gives(build(Graph(tensors, [0], [5], [op])), tmp_path, inputs, expected)
