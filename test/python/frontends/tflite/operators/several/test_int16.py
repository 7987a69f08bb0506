"""Operators on int16 data with int8 weights equal TFLite Micro's on every engine."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Graph, Op, T, build, constant, single
from common.tflite_engines import assert_all_equal_micro, assert_all_give
from mlir import ir

from forebay.frontends.tflite import UnsupportedModel, import_model

NONE, RELU = 0, 1


def random_int16(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(-32768, 32768, shape, dtype=np.int16)


def weights(seed: int, shape: tuple[int, ...], dimension: int, *, scales: int = 0) -> T:
    rng = np.random.default_rng(seed)
    data = rng.integers(-127, 128, shape, dtype=np.int8)
    count = scales or shape[dimension]
    return T(shape, "int8", rng.uniform(0.001, 0.02, count), 0, data, dimension=dimension)


def bias(channels: int, dtype: str = "int64") -> T:
    values = np.random.default_rng(9).integers(-(2**22), 2**22, channels)
    return constant(values, dtype, scale=[1e-6] * channels)


@pytest.mark.parametrize("bias_type", ["int64", "int32", None])
@pytest.mark.parametrize("scales", [0, 1])
def test_convolution(bias_type: str | None, scales: int, tmp_path: Path) -> None:
    tensors = [
        T((1, 6, 7, 3), "int16", 0.0005),
        weights(1, (5, 3, 3, 3), 0, scales=scales),
        T((1, 3, 4, 5), "int16", 0.005),
        *([bias(5, bias_type)] if bias_type else []),
    ]
    fields = {"Padding": 0, "StrideH": 2, "StrideW": 2, "FusedActivationFunction": RELU}
    inputs = [0, 1, 3] if bias_type else [0, 1]
    file = single(Op("CONV_2D", inputs, [2], "Conv2DOptions", fields, 3), tensors)
    expected = assert_all_equal_micro(file, tmp_path, random_int16(3, 1, 6, 7, 3))
    assert len(np.unique(expected[0])) > 10


def test_depthwise_convolution(tmp_path: Path) -> None:
    tensors = [
        T((1, 6, 7, 3), "int16", 0.0005),
        weights(1, (1, 3, 3, 6), 3),
        bias(6),
        T((1, 6, 7, 6), "int16", 0.001),
    ]
    fields = {"Padding": 0, "StrideH": 1, "StrideW": 1, "DepthMultiplier": 2}
    op = Op("DEPTHWISE_CONV_2D", [0, 1, 2], [3], "DepthwiseConv2DOptions", fields, 3)
    assert_all_equal_micro(single(op, tensors), tmp_path, random_int16(3, 1, 6, 7, 3))


@pytest.mark.parametrize("bias_type", ["int64", None])
def test_fully_connected(bias_type: str | None, tmp_path: Path) -> None:
    tensors = [
        T((2, 30), "int16", 0.0005),
        weights(1, (7, 30), 0, scales=1),
        T((2, 7), "int16", 0.002),
        *([bias(7, bias_type)] if bias_type else []),
    ]
    inputs = [0, 1, 3] if bias_type else [0, 1]
    file = single(Op("FULLY_CONNECTED", inputs, [2], "FullyConnectedOptions", {}, 4), tensors)
    assert_all_equal_micro(file, tmp_path, random_int16(5, 2, 30))


@pytest.mark.parametrize("kind", ["int8", "int16", "float32"])
@pytest.mark.parametrize("padding", [0, 1])
def test_transposed_convolution(kind: str, padding: int, tmp_path: Path) -> None:
    size = (1, 6, 9, 2) if padding == 0 else (1, 8, 11, 2)
    is_float = kind == "float32"
    rng = np.random.default_rng(4)
    filters = weights(1, (2, 4, 5, 3), 0)
    if is_float:
        filters = constant(rng.standard_normal((2, 4, 5, 3)), kind)
    biases = {"int8": "int32", "int16": "int64", "float32": "float32"}
    tensors = [
        constant(size),
        filters,
        T((1, 3, 4, 3), kind, None if is_float else 0.05, 0),
        bias(2, biases[kind]) if kind != "int8" else constant([300, -900], scale=[1e-4] * 2),
        T(size, kind, None if is_float else 0.1, 0),
    ]
    fields = {"Padding": padding, "StrideH": 2, "StrideW": 2 if padding == 1 else 3}
    if padding == 0:
        tensors[2] = T((1, 3, 3, 3), kind, tensors[2].scale, 0)
    op = Op("TRANSPOSE_CONV", [0, 1, 2, 3], [4], "TransposeConvOptions", fields, 3)
    shape = tensors[2].shape
    if is_float:
        x = rng.standard_normal(shape).astype(np.float32)
    else:
        x = rng.integers(-128, 128, shape).astype(kind)
    assert_all_equal_micro(single(op, tensors), tmp_path, x)


@pytest.mark.parametrize("name", ["ADD", "SUB", "MUL"])
def test_binary(name: str, tmp_path: Path) -> None:
    scale = 0.3 if name == "MUL" else 0.002
    tensors = [
        T((1, 2, 5, 30), "int16", 0.001),
        T((1, 1, 5, 1), "int16", 0.0007),
        T((1, 2, 5, 30), "int16", scale),
    ]
    options = f"{name.capitalize()}Options"
    op = Op(name, [0, 1], [2], options, {"FusedActivationFunction": NONE}, 2)
    inputs = random_int16(1, 1, 2, 5, 30), random_int16(2, 1, 1, 5, 1)
    assert_all_equal_micro(single(op, tensors), tmp_path, *inputs)


def test_leaky_relu_on_every_value(tmp_path: Path) -> None:
    tensors = [T((1, 65536), "int16", 0.001), T((1, 65536), "int16", 0.0007)]
    op = Op("LEAKY_RELU", [0], [1], "LeakyReluOptions", {"Alpha": 0.3}, 2)
    every = np.arange(-32768, 32768, dtype=np.int16)[None]
    assert_all_equal_micro(single(op, tensors), tmp_path, every)


@pytest.mark.parametrize(
    ("source", "target"),
    [("int8", "int16"), ("int16", "int8"), ("int16", "int16"), ("int16", "int32")],
)
def test_quantize(source: str, target: str, tmp_path: Path) -> None:
    tensors = [T((1, 999), source, 0.001), T((1, 999), target, 0.0007)]
    file = single(Op("QUANTIZE", [0], [1], "", {}, 2), tensors)
    low, high = np.iinfo(source).min, np.iinfo(source).max
    x = np.random.default_rng(2).integers(low, high + 1, (1, 999)).astype(source)
    assert_all_equal_micro(file, tmp_path, x)


def test_floats_become_int16(tmp_path: Path) -> None:
    tensors = [T((1, 99), "float32"), T((1, 99), "int16", 0.0001)]
    file = single(Op("QUANTIZE", [0], [1], "", {}, 2), tensors)
    x = np.random.default_rng(2).standard_normal((1, 99)).astype(np.float32) * 2
    assert_all_equal_micro(file, tmp_path, x)


def test_a_zero_point_is_refused(context: ir.Context) -> None:
    tensors = [T((1, 9), "int16", 0.1, 3), T((1, 9), "int16", 0.1)]
    file = single(Op("LEAKY_RELU", [0], [1], "LeakyReluOptions", {"Alpha": 0.3}, 2), tensors)
    with pytest.raises(UnsupportedModel, match="zero point"):
        import_model(file)


@pytest.mark.parametrize("name", ["LOGISTIC", "TANH"])
@pytest.mark.parametrize("scale", [2.0**-12, 2.0**-11, 2.0**-13, 0.0003, 0.00001])
def test_sigmoids_on_every_value(name: str, scale: float, tmp_path: Path) -> None:
    tensors = [T((1, 65536), "int16", scale), T((1, 65536), "int16", 2.0**-15)]
    every = np.arange(-32768, 32768, dtype=np.int16)[None]
    assert_all_equal_micro(single(Op(name, [0], [1]), tensors), tmp_path, every)


@pytest.mark.parametrize("name", ["MINIMUM", "MAXIMUM"])
def test_extrema(name: str, tmp_path: Path) -> None:
    tensors = [T((1, 99), "int16", 0.1)] * 3
    file = single(Op(name, [0, 1], [2], "MaximumMinimumOptions", {}, 2), tensors)
    assert_all_equal_micro(file, tmp_path, random_int16(1, 1, 99), random_int16(2, 1, 99))


@pytest.mark.parametrize("name", ["ADD", "SUB", "MUL"])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_numbers_without_quantisation(name: str, dtype: str, tmp_path: Path) -> None:
    tensors = [T((3, 5), dtype), T((5,), dtype), T((3, 5), dtype)]
    file = single(Op(name, [0, 1], [2], f"{name.capitalize()}Options", {}, 2), tensors)
    a, b = np.arange(15).reshape(3, 5).astype(dtype), np.array([7, -2, 0, 5, 9], dtype)
    wanted = {"ADD": a + b, "SUB": a - b, "MUL": a * b}[name]
    assert_all_give(file, tmp_path, [a, b], [wanted])


def test_softmax_of_int8_to_int16_and_back(tmp_path: Path) -> None:
    tensors = [
        T((20, 9), "int8", 0.1, 3),
        T((20, 9), "int16", 2.0**-16, -32768),
        T((20, 9), "int8", 1 / 200, -100),
    ]
    operators = [
        Op("SOFTMAX", [0], [1], "SoftmaxOptions", {"Beta": 1.0}),
        Op("QUANTIZE", [1], [2], "", {}, 2),
    ]
    file = build(Graph(tensors, [0], [1, 2], operators))
    x = np.random.default_rng(1).integers(-128, 128, (20, 9), dtype=np.int8)
    assert_all_equal_micro(file, tmp_path, x)


@pytest.mark.parametrize("name", ["AVERAGE_POOL_2D", "MAX_POOL_2D"])
def test_pools(name: str, tmp_path: Path) -> None:
    fields = {"Padding": 0, "StrideH": 2, "StrideW": 1, "FilterHeight": 3, "FilterWidth": 2}
    fields["FusedActivationFunction"] = RELU
    tensors = [T((1, 7, 6, 3), "int16", 0.1), T((1, 4, 6, 3), "int16", 0.1)]
    file = single(Op(name, [0], [1], "Pool2DOptions", fields, 2), tensors)
    assert_all_equal_micro(file, tmp_path, random_int16(1, 1, 7, 6, 3))


@pytest.mark.parametrize("axes", [[1, 2], [3]])
def test_mean(axes: list[int], tmp_path: Path) -> None:
    shape = (1, 3) if axes == [1, 2] else (1, 7, 6)
    tensors = [T((1, 7, 6, 3), "int16", 0.001), constant(axes), T(shape, "int16", 0.0006)]
    file = single(Op("MEAN", [0, 1], [2], "ReducerOptions"), tensors)
    assert_all_equal_micro(file, tmp_path, random_int16(1, 1, 7, 6, 3))
