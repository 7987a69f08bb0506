"""Softmax after the host lowering equals TFLite's reference, quantised bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from common.host_jit import run_host
from common.oracles.upstream_jit import softmax
from msgspec.structs import asdict

from forebay.ir.softmax import FloatSoftmax, QuantizedSoftmax
from forebay.lowering.kernels.exponential import exp_of_negative, exponentials

SCALES = {
    "0.1": QuantizedSoftmax(1717986918, 23, -248),
    "0.05": QuantizedSoftmax(1717986918, 22, -496),
    "1.0": QuantizedSoftmax(1 << 30, 27, -15),
    "resnet8": QuantizedSoftmax(1476210432, 24, -124),
    "4.0": QuantizedSoftmax(1 << 30, 29, -3),
}


def module(shape: tuple[int, ...], element: str, parameters: str) -> str:
    kind = f"tensor<{'x'.join(map(str, shape))}x{element}>"
    return f"""
      func.func @main(%x: {kind}) -> {kind} {{
        %y = tosa.custom %x {{domain_name = "forebay.tflite", operator_name = "softmax",
          implementation_attrs = "", accel.softmax = {{{parameters}}}}} : ({kind}) -> {kind}
        return %y : {kind}
      }}"""


def run_quantised(x: np.ndarray, parameters: QuantizedSoftmax) -> np.ndarray:
    spelled = ", ".join(f"{name} = {value} : i32" for name, value in asdict(parameters).items())
    return run_host(module(x.shape, "i8", spelled), x)[0]


@pytest.mark.parametrize("scale", SCALES)
def test_every_difference_of_two_logits(scale: str) -> None:
    highest = np.repeat(np.arange(-128, 128, 15), 256)
    other = np.tile(np.arange(-128, 128), len(highest) // 256)
    x = np.stack([highest, other], axis=1).astype(np.int8)
    np.testing.assert_array_equal(run_quantised(x, SCALES[scale]), softmax(x, SCALES[scale]))


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("columns", [1, 2, 3, 10, 255, 256])
def test_random_rows(scale: str, columns: int) -> None:
    rng = np.random.default_rng(columns)
    spread = rng.integers(1, 128, (64, 1))
    x = (rng.integers(-128, 128, (64, columns)) * spread // 128).astype(np.int8)
    np.testing.assert_array_equal(run_quantised(x, SCALES[scale]), softmax(x, SCALES[scale]))


def test_equal_logits_share_evenly() -> None:
    for columns in (1, 2, 4, 8, 128, 256):
        x = np.full((1, columns), 5, np.int8)
        expected = min(255, 256 // columns) - 128
        assert (run_quantised(x, SCALES["0.1"]) == expected).all()


def test_rows_are_over_the_last_of_any_dimensions() -> None:
    rng = np.random.default_rng(1)
    x = rng.integers(-128, 128, (2, 3, 4, 5), dtype=np.int8)
    np.testing.assert_array_equal(run_quantised(x, SCALES["0.1"]), softmax(x, SCALES["0.1"]))
    vector = x[0, 0, 0]
    expected = softmax(vector[None], SCALES["0.1"])[0]
    np.testing.assert_array_equal(run_quantised(vector, SCALES["0.1"]), expected)


def test_table_is_the_exponential() -> None:
    table = exponentials(SCALES["0.1"])
    expected = np.exp(-0.1 * np.arange(256))
    np.testing.assert_allclose(np.array(table) / 2**31, expected, atol=3e-7)
    assert table[0] == (1 << 31) - 1


def test_exponential_of_all_magnitudes() -> None:
    """Q5.26 reaches down to -32."""
    for x in range(0, -(1 << 31), -(1 << 21) - 12345):
        assert abs(exp_of_negative(x) / 2**31 - np.exp(x / 2**26)) < 3e-7


def test_below_diff_min_nothing_is_left() -> None:
    table = exponentials(SCALES["1.0"])
    assert table[15] > 0
    assert set(table[16:]) == {0}


@pytest.mark.parametrize("beta", [1.0, 0.5])
def test_floats(beta: float) -> None:
    rng = np.random.default_rng(2)
    x = (rng.standard_normal((3, 17)) * 8).astype(np.float32)
    actual = run_host(module(x.shape, "f32", f"beta = {beta} : f32"), x)[0]
    np.testing.assert_allclose(actual, softmax(x, FloatSoftmax(beta)), rtol=2e-6, atol=1e-9)
