"""DynamicQuantizeLinear, and networks of onnxruntime's dynamic quantiser."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common.onnx_networks import OnnxNetwork, reference
from common.sweep import sweep

import forebay

DATA: dict[str, Any] = {
    "both signs": [[-1.5, 0.25, 3.75, 2.0]],
    "positive": [[1.5, 0.25, 3.75, 2.0]],
    "negative": [[-1.5, -0.25, -3.75, -2.0]],
    "zeros": [[0.0, 0.0, -0.0, 0.0]],
    "halves": [[-127.5, 127.5, 0.5, 1.5]],
    "small": [[1e-30, -2e-30, 0, 1e-31]],
}


@pytest.mark.parametrize("name", sweep(DATA, fast=4))
def test_all_results_have_the_bits_of_the_reference(name: str, tmp_path: Path) -> None:
    net = OnnxNetwork()
    results = net.op("DynamicQuantizeLinear", net.input("x", [1, 4]), outputs=3)
    for result, dtype in zip(results, ("uint8", "float32", "uint8"), strict=True):
        net.output(result, dtype)
    path, data = net.save(tmp_path / "net.onnx"), np.array(DATA[name], np.float32)
    found = forebay.compile(path).run(data)
    for y, golden in zip(found, reference(path, [data]), strict=True):
        np.testing.assert_array_equal(y, golden)


def _dynamic(
    net: OnnxNetwork, kind: str, x: str, weights: Any, zero: Any, **attributes: Any
) -> str:
    """Return what onnxruntime's quantize_dynamic writes for a product of float32."""
    q, scale, zero_point = net.op("DynamicQuantizeLinear", x, outputs=3)
    operands = (q, net.constant(weights), zero_point, net.constant(zero))
    sums = net.op("Cast", net.op(kind, *operands, **attributes), to=1)
    own = net.constant(net.rng.uniform(0.002, 0.01, np.shape(zero)).astype(np.float32))
    if kind == "ConvInteger" and np.size(zero) > 1:
        own = net.constant(net.rng.uniform(0.002, 0.01, (1, len(zero), 1, 1)).astype(np.float32))
    return net.op("Mul", sums, net.op("Mul", scale, own))


@pytest.mark.parametrize("per_channel", [False, True])
def test_a_network_equals_the_reference(per_channel: bool, tmp_path: Path) -> None:
    net, rng = OnnxNetwork(3), np.random.default_rng(4)
    weights = rng.integers(-128, 128, (8, 3, 3, 3)).astype(np.int8)
    zero = np.zeros(8, np.int8) if per_channel else np.int8(0)
    x = net.input("x", [1, 3, 8, 8])
    y = _dynamic(net, "ConvInteger", x, weights, zero, pads=[1] * 4, strides=[2, 2])
    y = net.op("Relu", net.op("Add", y, net.constant(rng.normal(size=(1, 8, 1, 1)).astype("f4"))))
    y = net.op("Flatten", net.op("MaxPool", y, kernel_shape=[2, 2], strides=[2, 2]))
    matrix = rng.integers(0, 256, (32, 5)).astype(np.uint8)
    zero = rng.integers(100, 150, 5).astype(np.uint8) if per_channel else np.uint8(120)
    y = _dynamic(net, "MatMulInteger", y, matrix, zero)
    net.output_of(net.op("Add", y, net.constant(rng.normal(size=5).astype("f4"))), "float32", 2)
    path, data = net.save(tmp_path / "net.onnx"), rng.normal(size=(1, 3, 8, 8)).astype(np.float32)
    np.testing.assert_array_equal(forebay.compile(path).run(data), reference(path, [data])[0])
