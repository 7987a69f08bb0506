from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Op, T, constant, single
from common.tflite_engines import assert_all_equal_micro
from common.tflite_reference import (
    assert_equal_to_micro,
    compiled,
    micro,
    ours,
    random_float,
    random_int8,
)

from forebay.errors import Error

SAME, VALID = 0, 1
NONE, RELU, RELU_N1_TO_1, RELU6 = range(4)


def weights(seed: int, shape: tuple[int, ...], dimension: int) -> T:
    rng = np.random.default_rng(seed)
    scales = rng.uniform(0.001, 0.02, shape[dimension])
    data = rng.integers(-127, 128, shape, dtype=np.int8)
    return T(shape, "int8", scales, 0, data, dimension=dimension)


def bias(seed: int, channels: int) -> T:
    return constant(
        np.random.default_rng(seed).integers(-5000, 5000, channels), "int32", scale=0.001
    )


def convolution(
    size: tuple[int, int],
    kernel: tuple[int, int],
    *,
    stride: tuple[int, int] = (1, 1),
    padding: int = SAME,
    dilation: tuple[int, int] = (1, 1),
    activation: int = NONE,
    out: tuple[int, int],
    zero_point: int = -3,
    with_bias: bool = True,
    scale: float = 0.3,
) -> bytes:
    tensors = [
        T((1, *size, 3), "int8", 0.05, zero_point),
        weights(1, (5, *kernel, 3), 0),
        bias(2, 5),
        T((1, *out, 5), "int8", scale, 7),
    ]
    fields = {
        "Padding": padding,
        "StrideH": stride[0],
        "StrideW": stride[1],
        "DilationHFactor": dilation[0],
        "DilationWFactor": dilation[1],
        "FusedActivationFunction": activation,
    }
    inputs = [0, 1, 2] if with_bias else [0, 1]
    return single(Op("CONV_2D", inputs, [3], "Conv2DOptions", fields, 3), tensors)


@pytest.mark.parametrize(
    "file",
    [
        convolution((6, 7), (3, 3), out=(6, 7)),
        convolution((6, 7), (3, 3), padding=VALID, out=(4, 5)),
        convolution((8, 8), (3, 3), stride=(2, 2), out=(4, 4)),
        convolution((7, 9), (3, 2), stride=(2, 3), out=(4, 3)),
        convolution(
            (8, 8), (1, 1), stride=(2, 2), out=(4, 4)
        ),  # the last row and column are unread
        convolution((9, 8), (2, 3), stride=(3, 2), padding=VALID, out=(3, 3)),
        convolution((9, 9), (3, 3), dilation=(2, 3), out=(9, 9)),
        convolution((9, 9), (3, 3), padding=VALID, dilation=(2, 3), out=(5, 3)),
        convolution((6, 6), (3, 3), activation=RELU, out=(6, 6)),
        convolution((6, 6), (3, 3), activation=RELU6, out=(6, 6)),
        convolution((6, 6), (3, 3), activation=RELU_N1_TO_1, out=(6, 6), scale=0.02),
        convolution((6, 6), (3, 3), out=(6, 6), with_bias=False),
        convolution((6, 6), (3, 3), out=(6, 6), zero_point=-128),
        convolution((4, 4), (3, 3), out=(4, 4), scale=0.0004),  # multipliers above one
    ],
)
def test_conv_2d_is_exact(file: bytes) -> None:
    import tflite

    shape = tflite.Model.GetRootAs(file, 0).Subgraphs(0).Tensors(0).ShapeAsNumpy()
    assert_equal_to_micro(file, random_int8(3, *shape))


def test_conv_2d_per_tensor_is_exact() -> None:
    data = np.random.default_rng(4).integers(-127, 128, (5, 3, 3, 3), dtype=np.int8)
    tensors = [
        T((2, 5, 5, 3), "int8", 0.04, 12),
        T((5, 3, 3, 3), "int8", 0.007, 0, data),
        bias(2, 5),
        T((2, 5, 5, 5), "int8", 0.21, -9),
    ]
    fields = {"Padding": SAME, "StrideH": 1, "StrideW": 1}
    file = single(Op("CONV_2D", [0, 1, 2], [3], "Conv2DOptions", fields, 3), tensors)
    assert_equal_to_micro(file, random_int8(5, 2, 5, 5, 3))


@pytest.mark.parametrize(
    ("multiplier", "stride", "padding", "out"),
    [(1, 1, SAME, (7, 6)), (1, 2, SAME, (4, 3)), (3, 1, VALID, (5, 4)), (2, 2, VALID, (3, 2))],
)
def test_depthwise_conv_2d_is_exact(
    multiplier: int, stride: int, padding: int, out: tuple[int, int]
) -> None:
    channels = 4 * multiplier
    tensors = [
        T((1, 7, 6, 4), "int8", 0.05, 20),
        weights(6, (1, 3, 3, channels), 3),
        bias(7, channels),
        T((1, *out, channels), "int8", 0.2, -4),
    ]
    fields = {
        "Padding": padding,
        "StrideH": stride,
        "StrideW": stride,
        "DepthMultiplier": multiplier,
        "FusedActivationFunction": RELU6,
    }
    op = Op("DEPTHWISE_CONV_2D", [0, 1, 2], [3], "DepthwiseConv2DOptions", fields, 3)
    assert_equal_to_micro(single(op, tensors), random_int8(8, 1, 7, 6, 4))


@pytest.mark.parametrize("activation", [NONE, RELU, RELU6])
def test_float_convolution_is_close(activation: int) -> None:
    rng = np.random.default_rng(9)
    kernel = rng.standard_normal((4, 3, 3, 2)).astype(np.float32)
    tensors = [
        T((1, 5, 5, 2), "float32"),
        T((4, 3, 3, 2), "float32", data=kernel),
        constant(rng.standard_normal(4), "float32"),
        T((1, 5, 5, 4), "float32"),
    ]
    fields = {"Padding": SAME, "StrideH": 1, "StrideW": 1, "FusedActivationFunction": activation}
    file = single(Op("CONV_2D", [0, 1, 2], [3], "Conv2DOptions", fields), tensors)
    inputs = [random_float(10, 1, 5, 5, 2)]
    np.testing.assert_allclose(ours(file, inputs)[0], micro(file, inputs)[0], rtol=1e-5, atol=1e-5)


def at_run_time(dtype: str, depth: int, *, padding: int, activation: int, **more: int) -> bytes:
    """A convolution of 3 channels by weights that are an input."""
    scales = (0.05, 0.02, 0.3) if dtype == "int8" else (None,) * 3
    size = (6, 7) if padding == SAME else (4, 5)
    tensors = [
        T((2, 6, 7, 4), dtype, scales[0], -3 if scales[0] else 0),
        T((6, 3, 3, depth), dtype, scales[1], more.get("zero_point", 0)),
        T((2, *size, 6), dtype, scales[2], 7 if scales[2] else 0),
    ]
    fields = {"Padding": padding, "StrideH": 1, "StrideW": 1, "FusedActivationFunction": activation}
    fields |= {"DilationHFactor": 1, "DilationWFactor": 1}
    return single(Op("CONV_2D", [0, 1], [2], "Conv2DOptions", fields, 3), tensors)


@pytest.mark.parametrize("dtype", ["int8", "float32"])
@pytest.mark.parametrize("depth", [4, 2], ids=["one group", "two groups"])
@pytest.mark.parametrize(("padding", "activation"), [(SAME, NONE), (VALID, RELU6)])
def test_weights_may_be_computed_at_run_time(
    dtype: str, depth: int, padding: int, activation: int, tmp_path: Path
) -> None:
    file = at_run_time(dtype, depth, padding=padding, activation=activation)
    shapes = ((2, 6, 7, 4), (6, 3, 3, depth))
    draw = random_int8 if dtype == "int8" else random_float
    inputs = [draw(seed, *shape) for seed, shape in enumerate(shapes)]
    assert_all_equal_micro(file, tmp_path, *inputs)


def test_a_zero_point_of_weights_at_run_time_is_refused() -> None:
    file = at_run_time("int8", 4, padding=SAME, activation=NONE, zero_point=5)
    with pytest.raises(Error, match="weights with a zero point"):
        compiled(file)
