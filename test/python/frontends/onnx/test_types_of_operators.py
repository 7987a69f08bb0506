"""Operators on integers, on infinities, and in forms that are written as others."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common.onnx_networks import OnnxNetwork, reference
from common.sweep import sweep

import forebay
from forebay.driver.compiled import EngineName
from forebay.errors import Error

MATH = ["Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Cosh", "Sinh", "Tan"]
SIGNED = ["int8", "int16", "int32", "int64"]


def compared(
    net: OnnxNetwork, arrays: Sequence[Any], tmp_path: Path, engine: EngineName = "c"
) -> list[tuple[Any, Any]]:
    """Return the results and those of the reference."""
    path = net.save(tmp_path / "net.onnx")
    found = forebay.compile(path).run(*arrays, engine=engine)
    given = found if isinstance(found, tuple) else (found,)
    return list(zip(given, reference(path, list(arrays)), strict=True))


@pytest.mark.parametrize("engine", ["c", "llvm", "emulator"])
@pytest.mark.parametrize("kind", sweep(MATH, fast=2))
def test_functions_of_the_c_library(kind: str, engine: EngineName, tmp_path: Path) -> None:
    net = OnnxNetwork()
    net.output(net.op(kind, net.input("x", [40])))
    low = 1.0 if kind == "Acosh" else -0.99
    x = np.linspace(low, 0.99 + (kind == "Acosh"), 40).astype(np.float32)
    ((y, golden),) = compared(net, [x], tmp_path, engine)
    assert np.abs(y - golden).max() <= 1e-6 * np.abs(golden).max()


@pytest.mark.parametrize("op", ["Add", "Sub", "Mul", "Max", "Min"])
@pytest.mark.parametrize("kind", sweep(["uint8", "int8", "int16"]))
def test_narrow_integers_keep_their_low_bits(kind: str, op: str, tmp_path: Path) -> None:
    limits = np.iinfo(kind)
    a, b = np.random.default_rng(1).integers(limits.min, limits.max + 1, (2, 3, 50)).astype(kind)
    net = OnnxNetwork()
    net.output(net.op(op, net.input("a", [3, 50], kind), net.input("b", [3, 50], kind)), kind)
    ((y, golden),) = compared(net, [a, b], tmp_path)
    assert y.dtype == golden.dtype
    np.testing.assert_array_equal(y, golden)


@pytest.mark.parametrize("kind", [*SIGNED, "uint8", "float32"])
@pytest.mark.parametrize("fmod", [0, 1])
def test_a_remainder_has_the_sign_of_the_divisor_or_the_dividend(
    kind: str, fmod: int, tmp_path: Path
) -> None:
    a = np.arange(-20, 20).astype(kind)
    b = np.array([-3, 7, 5, 3] * 10).astype(kind)
    net = OnnxNetwork()
    x, y = (net.input(n, [40], kind) for n in "ab")
    net.output(net.op("Mod", x, y, fmod=fmod), kind)
    ((found, golden),) = compared(net, [a, b], tmp_path)
    expected = np.fmod(a, b) if fmod else np.mod(a, b)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(golden, expected)


def test_a_mean_of_several_tensors(tmp_path: Path) -> None:
    net = OnnxNetwork()
    names = [net.input(n, [2, 3]) for n in "abc"]
    net.output(net.op("Mean", *names))
    arrays = np.random.default_rng(2).normal(size=(3, 2, 3)).astype(np.float32)
    ((y, golden),) = compared(net, list(arrays), tmp_path)
    np.testing.assert_allclose(y, golden, rtol=1e-6)


@pytest.mark.parametrize("op", ["ReduceMax", "ReduceMin"])
def test_an_extremum_of_infinities_is_infinite(op: str, tmp_path: Path) -> None:
    net = OnnxNetwork()
    x = net.input("x", [2, 3])
    net.output(net.op(op, x, net.constant(np.array([1]))))
    infinity = np.float32(-np.inf if op == "ReduceMax" else np.inf)
    rows = np.array([[infinity] * 3, [1, infinity, 2]], np.float32)
    ((y, golden),) = compared(net, [rows], tmp_path)
    np.testing.assert_array_equal(y, golden)
    assert y[0, 0] == infinity


@pytest.mark.parametrize("kind", [*SIGNED, "uint8", "float32"])
def test_limits_may_be_computed_and_cross(kind: str, tmp_path: Path) -> None:
    net = OnnxNetwork()
    x, low, high = (
        net.input("x", [9], kind),
        net.input("low", [], kind),
        net.input("high", [], kind),
    )
    net.output(net.op("Clip", x, low, high), kind)
    net.output(net.op("Clip", x, "", high), kind)
    values = np.arange(9).astype(kind)
    for limits in ((3, 6), (6, 3)):
        arrays = [values, *(np.array(limit, kind) for limit in limits)]
        for y, golden in compared(net, arrays, tmp_path):
            np.testing.assert_array_equal(y, golden)


@pytest.mark.parametrize("mode", ["DCR", "CRD"])
def test_blocks_become_channels_in_either_order(mode: str, tmp_path: Path) -> None:
    x = np.arange(2 * 3 * 4 * 6, dtype=np.float32).reshape(2, 3, 4, 6)
    blocks = x.reshape(2, 3, 2, 2, 3, 2)
    order = (0, 3, 5, 1, 2, 4) if mode == "DCR" else (0, 1, 3, 5, 2, 4)
    net = OnnxNetwork(opset=28)
    net.output_of(
        net.op("SpaceToDepth", net.input("x", x.shape), blocksize=2, mode=mode), "float32", 4
    )
    y = forebay.compile(net.save(tmp_path / "net.onnx")).run(x)
    np.testing.assert_array_equal(y, blocks.transpose(order).reshape(2, 12, 2, 3))


def test_a_part_without_elements_is_left_out(tmp_path: Path) -> None:
    net = OnnxNetwork()
    x = net.input("x", [2, 5])
    a, none = net.op("Split", x, net.constant(np.array([5, 0])), outputs=2, axis=1)
    net.output(net.op("Concat", none, a, a, axis=1))
    ((y, golden),) = compared(net, [np.ones((2, 5), np.float32)], tmp_path)
    np.testing.assert_array_equal(y, golden)


@pytest.mark.parametrize(
    "attributes", [{}, {"transA": 1}, {"transB": 1, "alpha": 0.5, "beta": 2.0}]
)
@pytest.mark.parametrize("constants", ["", "b", "bc"])
def test_a_product_of_any_form(attributes: dict[str, Any], constants: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    shapes = {
        "a": (5, 3) if attributes.get("transA") else (3, 5),
        "b": (4, 5) if attributes.get("transB") else (5, 4),
        "c": (3, 4),
    }
    arrays = {n: rng.normal(size=shape).astype(np.float32) for n, shape in shapes.items()}
    net = OnnxNetwork()
    names = [
        net.constant(a) if n in constants else net.input(n, a.shape) for n, a in arrays.items()
    ]
    net.output(net.op("Gemm", *names, **attributes))
    given = [a for n, a in arrays.items() if n not in constants]
    ((y, golden),) = compared(net, given, tmp_path)
    np.testing.assert_allclose(y, golden, rtol=1e-5, atol=1e-6)


def test_a_mask_of_nothing_dropped(tmp_path: Path) -> None:
    net = OnnxNetwork()
    y, mask = net.op("Dropout", net.input("x", [2, 3]), outputs=2)
    net.output(y)
    net.output(mask, "bool")
    for found, golden in compared(net, [np.ones((2, 3), np.float32)], tmp_path):
        np.testing.assert_array_equal(found, golden)


def test_a_network_in_training_is_refused(tmp_path: Path) -> None:
    net = OnnxNetwork()
    x, ratio = net.input("x", [2, 3]), net.constant(np.float32(0.5))
    net.output(net.op("Dropout", x, ratio, net.constant(np.array(True))))
    with pytest.raises(Error, match="training_mode; export the network for inference"):
        forebay.compile(net.save(tmp_path / "net.onnx"))
