from __future__ import annotations

import numpy as np
import pytest
from common.model_file import Op, T, constant, single
from common.tflite_reference import assert_equal_to_micro, random_int8

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
