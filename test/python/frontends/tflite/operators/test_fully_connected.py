from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from common.model_file import Op, T, constant, single
from common.tflite_engines import assert_all_equal_micro
from common.tflite_reference import assert_equal_to_micro, compiled, random_int8

from forebay.errors import Error

NONE, RELU, RELU_N1_TO_1, RELU6 = range(4)


@pytest.mark.parametrize(
    ("rows", "shape", "per_channel", "activation"),
    [
        (1, (1, 12), False, NONE),
        (3, (3, 12), False, RELU),
        (2, (2, 3, 4), False, NONE),
        (1, (1, 12), True, RELU6),
    ],
)
def test_fully_connected_is_exact(
    rows: int, shape: tuple[int, ...], per_channel: bool, activation: int
) -> None:
    data = np.random.default_rng(11).integers(-127, 128, (5, 12), dtype=np.int8)
    scale = np.linspace(0.003, 0.02, 5) if per_channel else 0.0137
    tensors = [
        T(shape, "int8", 0.061, -17),
        T((5, 12), "int8", scale, 0, data),
        constant(np.arange(-200, 300, 100), "int32", scale=0.061 * 0.0137),
        T((rows, 5), "int8", 0.11, 3),
    ]
    fields = {"FusedActivationFunction": activation}
    file = single(
        Op("FULLY_CONNECTED", [0, 1, 2], [3], "FullyConnectedOptions", fields, 4), tensors
    )
    assert_equal_to_micro(file, random_int8(12, *shape))


@pytest.mark.parametrize("quantised", [True, False])
def test_a_bias_may_have_further_dimensions(quantised: bool, tmp_path: Path) -> None:
    rng = np.random.default_rng(12)
    kind = "int8" if quantised else "float32"
    scales = (0.061, 0.0137, 0.11) if quantised else (None,) * 3
    data = rng.integers(-127, 128, (5, 12)).astype(kind)
    bias = np.arange(-200, 300, 100).reshape(1, 1, 5)
    tensors = [
        T((1, 12), kind, scales[0], 0),
        T((5, 12), kind, scales[1], 0, data),
        constant(bias, "int32" if quantised else kind, scale=0.061 * 0.0137 if quantised else None),
        T((1, 5), kind, scales[2], 0),
    ]
    file = single(Op("FULLY_CONNECTED", [0, 1, 2], [3], "FullyConnectedOptions", {}, 4), tensors)
    x = rng.integers(-128, 128, (1, 12)).astype(kind)
    assert_all_equal_micro(file, tmp_path, x)


def test_a_bias_of_another_length_is_refused() -> None:
    tensors = [
        T((1, 12), "float32"),
        constant(np.zeros((5, 12)), "float32"),
        constant(np.zeros((2, 2)), "float32"),
        T((1, 5), "float32"),
    ]
    op = Op("FULLY_CONNECTED", [0, 1, 2], [3], "FullyConnectedOptions", {}, 4)
    with pytest.raises(Error, match=r"the bias has the shape \[2, 2\], not \[5\]"):
        compiled(single(op, tensors))


def test_fully_connected_keeps_the_dimensions_on_request() -> None:
    data = np.random.default_rng(13).integers(-127, 128, (5, 4), dtype=np.int8)
    tensors = [
        T((2, 3, 4), "int8", 0.05, 1),
        T((5, 4), "int8", 0.01, 0, data),
        T((2, 3, 5), "int8", 0.1, 2),
    ]
    fields = {"KeepNumDims": True}
    file = single(
        Op("FULLY_CONNECTED", [0, 1, -1], [2], "FullyConnectedOptions", fields, 6), tensors
    )
    assert_equal_to_micro(file, random_int8(14, 2, 3, 4))


@pytest.mark.parametrize("with_bias", [True, False])
def test_fully_connected_multiplies_the_scales_in_double(with_bias: bool) -> None:
    # With the product of the scales rounded to float32, every one of these sums rounds elsewhere.
    sums = (15728, 277872, 540016, 802160, 844103)
    scales, target = (0.22853, 0.0005476804), 1.3124125
    weights = np.zeros((len(sums), 130), np.int8)
    for row, total in zip(weights, sums, strict=True):
        quotient, row[-1] = divmod(total, 127)
        row[: quotient // 127] = 127
        row[quotient // 127] = quotient % 127
    inputs = np.full((1, 130), 127, np.int8)
    inputs[0, -1] = 1
    tensors = [
        T((1, 130), "int8", scales[0], 0),
        T(weights.shape, "int8", scales[1], 0, weights),
        constant(np.zeros(len(sums)), "int32", scale=scales[0] * scales[1]),
        T((1, len(sums)), "int8", target, 0),
    ]
    operands = [0, 1, 2] if with_bias else [0, 1, -1]
    op = Op("FULLY_CONNECTED", operands, [3], "FullyConnectedOptions", {}, 4)
    assert_equal_to_micro(single(op, tensors), inputs)


_SCALES = {"int8": (0.031, 0.017, 0.09), "int16": (2e-4, 0.017, 1.1e-3), "float32": (None,) * 3}


@dataclass(frozen=True)
class Layer:
    """The shapes of a layer, and what it adds and limits."""

    shape: tuple[int, ...]
    weights: tuple[int, ...]
    bias: bool
    activation: int
    keep: bool


@pytest.mark.parametrize("dtype", list(_SCALES))
@pytest.mark.parametrize(
    "layer",
    [
        Layer((6, 12), (5, 12), True, NONE, False),
        Layer((2, 3, 12), (5, 12), False, RELU, True),
        Layer((1, 4, 12), (1, 7, 12), True, RELU6, False),
    ],
)
def test_weights_computed_at_run_time(dtype: str, layer: Layer, tmp_path: Path) -> None:
    shape, weights = layer.shape, layer.weights
    sx, sw, so = _SCALES[dtype]
    zero = -9 if dtype == "int8" else 0
    kinds = {"int8": ("int8", "int32"), "int16": ("int8", "int64"), "float32": ("float32",) * 2}
    own, wide = kinds[dtype]
    rows = int(np.prod(shape)) // weights[-1]
    result = (*shape[:-1], weights[-2]) if layer.keep else (rows, weights[-2])
    offsets = np.linspace(-900, 700, weights[-2]) / (1 if own == "int8" else 500)
    tensors = [
        T(shape, dtype, sx, zero),
        T(weights, own, sw, 4 if dtype == "int8" else 0),
        constant(offsets, wide, scale=None if sx is None else sx * sw),
        T(result, dtype, so, -zero),
    ]
    fields = {"FusedActivationFunction": layer.activation, "KeepNumDims": layer.keep}
    operands = [0, 1, 2] if layer.bias else [0, 1, -1]
    op = Op("FULLY_CONNECTED", operands, [3], "FullyConnectedOptions", fields, 8)
    inputs = [_drawn(dtype, 20, shape), _drawn(own, 21, weights)]
    assert_all_equal_micro(single(op, tensors), tmp_path, *inputs)


def _drawn(dtype: str, seed: int, shape: tuple[int, ...]) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if dtype == "float32":
        return rng.standard_normal(shape).astype(np.float32)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max + 1, shape).astype(dtype)
