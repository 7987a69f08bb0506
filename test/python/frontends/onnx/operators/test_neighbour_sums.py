"""LRN, CumSum and CumProd, compared with ONNX's reference evaluator."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common.onnx_networks import OnnxNetwork, reference
from common.sweep import sweep

import forebay

# The evaluator computes as many channels of LRN as there are images.
SHAPE = [4, 4, 5, 6]


@pytest.mark.parametrize(
    "attributes", [{"size": 3, "alpha": 0.5, "beta": 0.6, "bias": 1.5}, {"size": 4, "alpha": 0.5}]
)
def test_neighbouring_channels_equal_the_reference(attributes: Any, tmp_path: Path) -> None:
    net = OnnxNetwork()
    net.output(net.op("LRN", net.input("x", SHAPE), **attributes))
    path = net.save(tmp_path / "net.onnx")
    x = np.random.default_rng(5).normal(size=SHAPE).astype(np.float32)
    golden = reference(path, [x])[0]
    assert np.abs(forebay.compile(path).run(x) - golden).max() <= 1e-6 * np.abs(golden).max()


SUMS: list[tuple[int, dict[str, Any]]] = [
    (2, {}),
    (-1, {"exclusive": 1}),
    (1, {"reverse": 1}),
    (0, {"exclusive": 1, "reverse": 1}),
]


@pytest.mark.parametrize("dtype", ["float32", "int32", "int64"])
@pytest.mark.parametrize("case", sweep(SUMS, fast=2))
def test_sums_of_integers_up_to_each_have_the_bits_of_the_reference(
    case: tuple[int, dict[str, Any]], dtype: str, tmp_path: Path
) -> None:
    axis, attributes = case
    net = OnnxNetwork()
    x = net.input("x", SHAPE, dtype)
    net.output(net.op("CumSum", x, net.constant(np.int64(axis)), **attributes), dtype)
    data = np.random.default_rng(5).integers(-99, 99, SHAPE).astype(dtype)
    path = net.save(tmp_path / "net.onnx")
    np.testing.assert_array_equal(forebay.compile(path).run(data), reference(path, [data])[0])


@pytest.mark.parametrize("case", sweep(SUMS, fast=1))
def test_products_up_to_each_equal_the_reference(
    case: tuple[int, dict[str, Any]], tmp_path: Path
) -> None:
    axis, attributes = case
    net = OnnxNetwork(opset=26)
    x = net.input("x", SHAPE)
    net.output_of(net.op("CumProd", x, net.constant(np.int64(axis)), **attributes), "float32", 4)
    data = np.random.default_rng(5).normal(size=SHAPE).astype(np.float32)
    path = net.save(tmp_path / "net.onnx")
    golden = reference(path, [data])[0]
    assert np.abs(forebay.compile(path).run(data) - golden).max() <= 1e-6 * np.abs(golden).max()
