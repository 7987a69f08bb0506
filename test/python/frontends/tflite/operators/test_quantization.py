from __future__ import annotations

import numpy as np
import pytest
from common.model_file import Op, T, single
from common.tflite_reference import assert_equal_to_micro, ours, random_float

EVERY_VALUE = np.arange(-128, 128, dtype=np.int8).reshape(1, 256)


@pytest.mark.parametrize(
    ("source", "target"), [((0.05, -3), (0.05, 100)), ((0.2, 5), (0.03, -1)), ((0.01, 0), (0.3, 9))]
)
def test_every_value_requantises_exactly(source, target) -> None:
    tensors = [T((1, 256), "int8", *source), T((1, 256), "int8", *target)]
    assert_equal_to_micro(single(Op("QUANTIZE", [0], [1], "QuantizeOptions"), tensors), EVERY_VALUE)


@pytest.mark.parametrize("zero_points", [(127, -1), (128, 0), (3, -100)])
def test_every_uint8_becomes_int8_exactly(zero_points: tuple[int, int]) -> None:
    tensors = [
        T((1, 256), "uint8", 0.05, zero_points[0]),
        T((1, 256), "int8", 0.05, zero_points[1]),
    ]
    file = single(Op("QUANTIZE", [0], [1], "QuantizeOptions"), tensors)
    assert_equal_to_micro(file, EVERY_VALUE.view(np.uint8))


@pytest.mark.parametrize("target", [(0.05, 131), (0.02, 0), (0.11, 255)])
def test_every_int8_becomes_uint8_exactly(target: tuple[float, int]) -> None:
    tensors = [T((1, 256), "int8", 0.05, 3), T((1, 256), "uint8", *target)]
    assert_equal_to_micro(single(Op("QUANTIZE", [0], [1], "QuantizeOptions"), tensors), EVERY_VALUE)


@pytest.mark.parametrize("target", [(0.00783931, 0), (0.05, -128), (0.3, 40), (0.25, 0)])
def test_floats_quantise_exactly(target: tuple[float, int]) -> None:
    # Every half between two steps, and its two neighbours among the floats.
    scale, zero_point = np.float32(target[0]), target[1]
    halves = (np.arange(-300, 300, dtype=np.float32) + np.float32(0.5)) * scale
    around = [np.nextafter(halves, np.float32(s)) for s in (-np.inf, np.inf)]
    values = np.concatenate([halves, *around, random_float(1, 500, spread=10)]).reshape(1, -1)
    tensors = [T(values.shape, "float32"), T(values.shape, "int8", float(scale), zero_point)]
    assert_equal_to_micro(single(Op("QUANTIZE", [0], [1], "QuantizeOptions"), tensors), values)


def test_floats_out_of_range_saturate() -> None:
    values = np.array([[1e30, -1e30, np.inf, -np.inf, 3e9, -3e9]], np.float32)
    tensors = [T(values.shape, "float32"), T(values.shape, "int8", 0.05, 3)]
    file = single(Op("QUANTIZE", [0], [1], "QuantizeOptions"), tensors)
    assert ours(file, [values])[0].tolist() == [[127, -128, 127, -128, 127, -128]]


@pytest.mark.parametrize("source", [(0.00783931, 0), (0.146878, 1), (0.3, -128)])
def test_every_value_dequantises_exactly(source: tuple[float, int]) -> None:
    tensors = [T((1, 256), "int8", *source), T((1, 256), "float32")]
    op = Op("DEQUANTIZE", [0], [1], "DequantizeOptions")
    assert_equal_to_micro(single(op, tensors), EVERY_VALUE)
