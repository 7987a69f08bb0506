"""Operators of com.microsoft, compared with their definitions in ONNX's own operators."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common.onnx_networks import OnnxNetwork, reference
from common.sweep import sweep

import forebay

SHAPE = [1, 4, 6, 6]
KINDS = [
    *("QLinearAdd", "QGemm", "QLinearMul", "QLinearSigmoid", "QLinearLeakyRelu"),
    *("QLinearAveragePool", "QLinearGlobalAveragePool", "QLinearConcat"),
]
ATTRIBUTES: dict[str, dict[str, Any]] = {
    "QLinearAveragePool": {"kernel_shape": [2, 3], "strides": [2, 1]},
    "QLinearLeakyRelu": {"alpha": 0.2},
    "QLinearConcat": {"axis": 1},
    "QGemm": {"transB": 1},
}
MINE = {"domain": "com.microsoft"}


class _Points:
    """Scale and zero point of an operand, of another, and of the result."""

    def __init__(self, net: OnnxNetwork) -> None:
        middle = 128 if net.dtype is np.uint8 else 0
        self.a, self.b, self.y = (
            (net.constant(np.float32(s)), net.constant(np.array(middle + z, net.dtype)))
            for s, z in ((0.0213, 9), (0.0317, -17), (0.0571, -20))
        )


def _defined(net: OnnxNetwork, kind: str, x: str, weights: list[Any]) -> str:
    """Dequantise, compute, quantise."""
    at = _Points(net)
    real = net.op("DequantizeLinear", x, *at.a)
    own = kind.removeprefix("QLinear").removeprefix("Q")
    operands = [real]
    if own in ("Add", "Mul", "Concat"):
        operands.append(net.op("DequantizeLinear", x, *at.b))
    if own == "Gemm":
        rows, scale, bias = weights
        operands = [net.op("Flatten", real)]
        zero = net.constant(np.array(0, np.int8))
        operands.append(net.op("DequantizeLinear", net.constant(rows), net.constant(scale), zero))
        scale = net.constant(np.float32(np.float32(0.0213) * scale))
        operands.append(net.op("DequantizeLinear", net.constant(bias), scale))
    real = net.op(own, *operands, **ATTRIBUTES.get(kind, {}))
    return net.op("QuantizeLinear", real, *at.y)


def _named(net: OnnxNetwork, kind: str, x: str, weights: list[Any]) -> str:
    """Use the operator of com.microsoft."""
    at, attributes = _Points(net), {**ATTRIBUTES.get(kind, {}), **MINE}
    if kind in ("QLinearAdd", "QLinearMul"):
        return net.op(kind, x, *at.a, x, *at.b, *at.y, **attributes)
    if kind == "QLinearConcat":
        return net.op(kind, *at.y, x, *at.a, x, *at.b, **attributes)
    if kind == "QGemm":
        rows, scale, bias = weights
        zero = net.constant(np.array(0, np.int8))
        matrix = (net.constant(rows), net.constant(scale), zero)
        flat = net.op("Flatten", x)
        return net.op(kind, flat, *at.a, *matrix, net.constant(bias), *at.y, **attributes)
    return net.op(kind, x, *at.a, *at.y, **attributes)


@pytest.mark.parametrize("unsigned", [True, False], ids=["uint8", "int8"])
@pytest.mark.parametrize("kind", sweep(KINDS, fast=2))
def test_an_operator_equals_its_definition(kind: str, unsigned: bool, tmp_path: Path) -> None:
    paths: list[Path] = []
    rng = np.random.default_rng(2)
    weights = [
        rng.integers(-127, 128, (5, 144)).astype(np.int8),
        np.float32(0.0071),
        rng.integers(-3000, 3000, 5).astype(np.int32),
    ]
    for build in (_named, _defined):
        net = OnnxNetwork(unsigned=unsigned)
        dtype = np.dtype(net.dtype).name
        name = build(net, kind, net.input("x", SHAPE, dtype), weights)
        net.output_of(name, dtype, rank=2 if kind == "QGemm" else 4)
        paths.append(net.save(tmp_path / f"{build.__name__}.onnx"))
    limits = np.iinfo(net.dtype)
    x = rng.integers(limits.min, limits.max + 1, SHAPE).astype(net.dtype)
    np.testing.assert_array_equal(forebay.compile(paths[0]).run(x), reference(paths[1], [x])[0])


def test_qgemm_without_a_scale_gives_floats(tmp_path: Path) -> None:
    net = OnnxNetwork(unsigned=True)
    at, zero = _Points(net), net.constant(np.array(0, np.int8))
    rows = np.random.default_rng(1).integers(-127, 128, (3, 8)).astype(np.int8)
    matrix = (net.constant(rows), net.constant(np.float32(0.01)), zero)
    x = net.input("x", [2, 8], "uint8")
    net.output_of(net.op("QGemm", x, *at.a, *matrix, transB=1, **MINE), "float32", rank=2)
    data = np.random.default_rng(3).integers(0, 256, (2, 8)).astype(np.uint8)
    expected = (data.astype(np.float64) - 137) * np.float32(0.0213) @ (rows.T * np.float32(0.01))
    found = forebay.compile(net.save(tmp_path / "net.onnx")).run(data)
    assert np.abs(found - expected).max() <= 1e-6 * np.abs(expected).max()
