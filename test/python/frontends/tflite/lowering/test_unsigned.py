"""A network of uint8 equals the same network of int8, 128 lower, in TFLite Micro."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from common.model_file import Graph, Op, T, build, constant, single
from common.tflite_engines import assert_all_give
from common.tflite_reference import micro
from mlir import ir

from forebay.frontends.tflite import import_model


def signed(tensor: T) -> T:
    if tensor.dtype != "uint8":
        return tensor
    data = None if tensor.data is None else (tensor.data ^ 128).view(np.int8)
    return replace(tensor, dtype="int8", zero_point=tensor.zero_point - 128, data=data)


def assert_equal_to_int8(
    op: Op, tensors: Sequence[T], folder: Path, *inputs: np.ndarray
) -> np.ndarray:
    wanted = micro(single(op, [signed(t) for t in tensors]), [(x ^ 128).view("i1") for x in inputs])
    expected = [y.view(np.uint8) ^ 128 for y in wanted]
    assert_all_give(single(op, tensors), folder, inputs, expected)
    return expected[0]


def random(*shape: int) -> np.ndarray:
    return np.random.default_rng(len(shape)).integers(0, 256, shape, dtype=np.uint8)


OPTIONS = {
    "LEAKY_RELU": ("LeakyReluOptions", {"Alpha": 0.3}),
    "SOFTMAX": ("SoftmaxOptions", {"Beta": 1.0}),
}
EVERY = np.arange(256, dtype=np.uint8)[None]


@pytest.mark.parametrize(
    ("name", "scale", "zero_point"),
    [
        ("LOGISTIC", 1 / 256, 0),
        ("TANH", 1 / 128, 128),
        ("LEAKY_RELU", 0.04, 100),
        ("SOFTMAX", 1 / 256, 0),
        ("RELU", 0.04, 100),
    ],
)
def test_functions(name: str, scale: float, zero_point: int, tmp_path: Path) -> None:
    options, fields = OPTIONS.get(name, ("", {}))
    tensors = [T((1, 256), "uint8", 0.05, 120), T((1, 256), "uint8", scale, zero_point)]
    assert_equal_to_int8(Op(name, [0], [1], options, fields), tensors, tmp_path, EVERY)


@pytest.mark.parametrize("name", ["ADD", "SUB", "MUL"])
def test_binary(name: str, tmp_path: Path) -> None:
    tensors = [
        T((256, 1), "uint8", 0.05, 120),
        T((1, 256), "uint8", 0.03, 9),
        T((256, 256), "uint8", 0.1, 99),
    ]
    op = Op(name, [0, 1], [2], f"{name.capitalize()}Options")
    assert_equal_to_int8(op, tensors, tmp_path, EVERY.reshape(256, 1), EVERY)


def test_weights_have_a_zero_point(tmp_path: Path) -> None:
    tensors = [
        T((4, 30), "uint8", 0.05, 120),
        T((7, 30), "uint8", 0.01, 131, random(7, 30)),
        constant(range(-3000, 4000, 1000), scale=0.0005),
        T((4, 7), "uint8", 0.1, 100),
    ]
    op = Op("FULLY_CONNECTED", [0, 1, 2], [3], "FullyConnectedOptions")
    result = assert_equal_to_int8(op, tensors, tmp_path, random(4, 30))
    assert len(np.unique(result)) > 10


def test_means_round_halves_up(tmp_path: Path) -> None:
    fields = {"Padding": 0, "StrideH": 1, "StrideW": 2, "FilterHeight": 1, "FilterWidth": 2}
    tensors = [T((1, 256, 2, 1), "uint8", 0.1, 3), T((1, 256, 1, 1), "uint8", 0.1, 3)]
    x = np.stack([EVERY[0], EVERY[0][::-1] // 3], -1).reshape(1, 256, 2, 1)
    wanted = (x.astype(int).sum(2, keepdims=True) + 1) // 2
    file = single(Op("AVERAGE_POOL_2D", [0], [1], "Pool2DOptions", fields), tensors)
    assert_all_give(file, tmp_path, [x], [wanted.astype(np.uint8)])


def test_tensors_that_only_move_stay_unsigned(context: ir.Context) -> None:
    tensors = [T((2, 3), "uint8", 0.1, 5), constant([3, 2]), T((3, 2), "uint8", 0.1, 5)]
    module = import_model(single(Op("RESHAPE", [0, 1], [2], "ReshapeOptions"), tensors))
    assert "tosa.rescale" not in str(module)


def test_movers_between_computations_move_int8(tmp_path: Path, context: ir.Context) -> None:
    # x -> RELU -> RESHAPE -> RELU: one conversion at each end, and none at the RESHAPE.
    quantisation = ("uint8", 0.1, 5)
    tensors = [T((2, 3), *quantisation), T((2, 3), *quantisation), constant([6])]
    tensors += [T((6,), *quantisation), T((6,), *quantisation)]
    operators = [
        Op("RELU", [0], [1]),
        Op("RESHAPE", [1, 2], [3], "ReshapeOptions"),
        Op("RELU", [3], [4]),
    ]
    file = build(Graph(tensors, [0], [4], operators))
    assert str(import_model(file)).count("tosa.rescale") == 2
    x = np.array([[0, 5, 9], [255, 4, 128]], np.uint8)
    assert_all_give(file, tmp_path, [x], [np.maximum(x, 5).reshape(6)])
