"""The ONNX networks of test/models, compared with what ONNX's reference evaluator gave."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from common.onnx_networks import Array
from common.sweep import sweep

import forebay

MODELS = Path(__file__).parents[3] / "models"
PEAKS = {
    # The inputs and output of the largest layer, and what is live besides, in bytes.
    "mlp_qlinear": 4 * 32 + 8 * 10,
    "residual_uint8": 3 * 8 * 16 * 16,
    "separable_qdq": 8 * 12 * 12 + 16 * 12 * 12,
}


def _golden(name: str) -> list[tuple[Array, Array]]:
    arrays = np.load(MODELS / f"{name}.npz")
    return [(arrays[f"in0_{i}"], arrays[f"out0_{i}"]) for i in range(4)]


@pytest.mark.parametrize("name", sweep([*PEAKS, "transformer_qdq"]))
def test_a_quantised_network_has_the_bits_of_the_reference(name: str) -> None:
    compiled = forebay.compile(MODELS / f"{name}.onnx")
    for x, expected in _golden(name):
        np.testing.assert_array_equal(compiled.run(x), expected)


def test_a_network_of_floats_equals_the_reference() -> None:
    compiled = forebay.compile(MODELS / "transformer_float.onnx")
    for x, expected in _golden("transformer_float"):
        assert np.abs(compiled.run(x) - expected).max() <= 1e-6 * np.abs(expected).max()


@pytest.mark.parametrize("name", sweep(PEAKS))
def test_the_workspace_is_that_of_the_largest_layer(name: str) -> None:
    plan = forebay.compile(MODELS / f"{name}.onnx").plan
    assert plan.peak("workspace") <= PEAKS[name]


@pytest.mark.parametrize("name", [*PEAKS, "transformer_qdq", "transformer_float"])
def test_files_are_valid_and_small(name: str) -> None:
    path = MODELS / f"{name}.onnx"
    onnx.checker.check_model(onnx.load(path), full_check=True)
    assert path.stat().st_size < 20_000
