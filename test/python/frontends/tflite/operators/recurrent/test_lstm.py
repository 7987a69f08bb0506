"""An LSTM equals TFLite Micro's over several inferences, on every engine."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Graph, Op, T, build, constant, single
from common.models.tflite_sequences import assert_sequence_equals_micro, assert_sequence_gives
from common.oracles.quantised_rows import asymmetric, symmetric
from mlir import ir

import forebay
from forebay.frontends.tflite import UnsupportedModel, import_model

DEPTH, UNITS = 5, 6
ABSENT = -1


def layer(dtype: str, steps: int, *, clip: float = 0.0, time_major: bool = False) -> bytes:
    batch = 2
    rng = np.random.default_rng(7)
    is_float = dtype == "float32"
    wide = dtype == "int16"
    scale, zero = (None, 0) if is_float else (1 / 2048, 0) if wide else (0.02, -9)

    def weights(*shape: int) -> T:
        if is_float:
            return constant(rng.standard_normal(shape) * 0.7, dtype)
        return constant(rng.integers(-127, 128, shape), "int8", scale=0.01)

    def bias() -> T:
        if is_float:
            return constant(rng.standard_normal(UNITS), dtype)
        values = rng.integers(-3000, 3000, UNITS)
        return constant(values, "int64" if wide else "int32", scale=scale * 0.01)

    shape = (steps, batch, DEPTH) if time_major else (batch, steps, DEPTH)
    hidden_scale, hidden_zero = (None, 0) if is_float else (2**-15, 0) if wide else (1 / 128, -3)
    tensors = [
        T(shape, dtype, scale, zero),
        *(weights(UNITS, DEPTH) for _ in range(4)),
        *(weights(UNITS, UNITS) for _ in range(4)),
        *(bias() for _ in range(4)),
        T((batch, UNITS), dtype, hidden_scale, hidden_zero, is_variable=True),
        T(
            (batch, UNITS),
            dtype if is_float else "int16",
            None if is_float else 2**-11,
            is_variable=True,
        ),
        T((*shape[:2], UNITS), dtype, hidden_scale, hidden_zero),
    ]
    inputs = [0, *range(1, 9), *[ABSENT] * 3, *range(9, 13), *[ABSENT] * 2, 13, 14, *[ABSENT] * 4]
    fields = {"FusedActivationFunction": 4, "CellClip": clip, "TimeMajor": time_major}
    options = "UnidirectionalSequenceLSTMOptions"
    op = Op("UNIDIRECTIONAL_SEQUENCE_LSTM", inputs, [15], options, fields)
    return build(Graph(tensors, [0], [15], [op]))


@pytest.mark.parametrize("dtype", ["float32", "int8", "int16"])
@pytest.mark.parametrize("steps", [1, 7])
def test_a_sequence_equals_tflite_micro(dtype: str, steps: int, tmp_path: Path) -> None:
    file = layer(dtype, steps)
    assert_sequence_equals_micro(file, tmp_path)


@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_the_cell_state_is_clipped(dtype: str, tmp_path: Path) -> None:
    assert_sequence_equals_micro(layer(dtype, 5, clip=0.4), tmp_path)


@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_time_may_be_the_first_dimension(dtype: str, tmp_path: Path) -> None:
    assert_sequence_equals_micro(layer(dtype, 5, time_major=True), tmp_path)


@pytest.mark.parametrize(("dtype", "data"), [("int8", 1), ("int16", 2), ("float32", 4)])
def test_gates_take_no_workspace(dtype: str, data: int, tmp_path: Path) -> None:
    """Beside input and result; the states are where they are kept. Sizes are in bytes."""
    (tmp_path / "lstm.tflite").write_bytes(layer(dtype, 7))
    buffers = [2 * 7 * DEPTH * data, 2 * 7 * UNITS * data]
    plan = forebay.compile(tmp_path / "lstm.tflite", io="pool").plan
    assert plan.peak("workspace") <= sum(-(-size // 16) * 16 for size in buffers)


def test_a_projection_is_refused(context: ir.Context) -> None:
    tensors = [T((1, 1, 2), "float32"), constant(np.eye(2), "float32"), T((1, 1, 2), "float32")]
    inputs = [0, *[ABSENT] * 15, 1, *[ABSENT] * 7]
    options = "UnidirectionalSequenceLSTMOptions"
    op = Op("UNIDIRECTIONAL_SEQUENCE_LSTM", inputs, [2], options, {"FusedActivationFunction": 4})
    with pytest.raises(UnsupportedModel, match="projection"):
        import_model(single(op, tensors))


@pytest.mark.parametrize("steps", [1, 4])
@pytest.mark.parametrize("is_asymmetric", [False, True])
def test_operands_of_int8_weights_are_quantised_at_run_time(
    is_asymmetric: bool, steps: int, tmp_path: Path
) -> None:
    rng, batch = np.random.default_rng(8), 2
    shapes = [(UNITS, DEPTH)] * 4 + [(UNITS, UNITS)] * 4
    weights = [rng.integers(-127, 128, shape).astype(np.int8) for shape in shapes]
    biases = [rng.standard_normal(UNITS).astype(np.float32) for _ in range(4)]
    tensors = [
        T((batch, steps, DEPTH), "float32"),
        *(T(w.shape, "int8", 0.01, data=w) for w in weights),
        *(constant(b, "float32") for b in biases),
        *(T((batch, UNITS), "float32", is_variable=True) for _ in range(2)),
        T((batch, steps, UNITS), "float32"),
    ]
    inputs = [0, *range(1, 9), *[ABSENT] * 3, *range(9, 13), *[ABSENT] * 2, 13, 14, *[ABSENT] * 4]
    fields = {"FusedActivationFunction": 4, "AsymmetricQuantizeInputs": is_asymmetric}
    options = "UnidirectionalSequenceLSTMOptions"
    op = Op("UNIDIRECTIONAL_SEQUENCE_LSTM", inputs, [15], options, fields)
    file = build(Graph(tensors, [0], [15], [op]))
    sequences = rng.standard_normal((3, batch, steps, DEPTH)).astype(np.float32)
    sequences[1, 0] = 0
    quantise = asymmetric if is_asymmetric else symmetric

    def product(x: np.ndarray, w: np.ndarray) -> np.ndarray:
        stored, factors = quantise(x.astype(np.float32))
        return stored @ w.T.astype(np.float64) * (factors * np.float32(0.01))[:, None]

    hidden, cell = np.zeros((batch, UNITS)), np.zeros((batch, UNITS))
    expected = list[np.ndarray]()
    for sequence in sequences:
        rows = list[np.ndarray]()
        for x in sequence.transpose(1, 0, 2):
            totals = [
                product(x, weights[i]) + biases[i] + product(hidden, weights[4 + i])
                for i in range(4)
            ]
            input_, forget, output = (1 / (1 + np.exp(-totals[i])) for i in (0, 1, 3))
            cell = forget * cell + input_ * np.tanh(totals[2])
            hidden = output * np.tanh(cell)
            rows.append(hidden)
        expected.append(np.stack(rows, 1).astype(np.float32))
    assert_sequence_gives(file, tmp_path, sequences, expected)
