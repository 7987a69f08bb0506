"""Operators on constants in opsets that ONNX's evaluator does not cover by itself."""

from pathlib import Path

import numpy as np
import pytest
from common.onnx_networks import OnnxNetwork, reference

import forebay


@pytest.mark.parametrize("opset", [13, 17, 18])
def test_a_dequantised_constant_is_computed_in_opsets_before_19(opset: int, tmp_path: Path) -> None:
    net = OnnxNetwork(3, opset=opset)
    stored = net.constant(net.rng.integers(-128, 128, (4, 6)).astype(np.int8))
    scale, zero = net.constant(np.float32([0.1, 0.02, 0.3, 0.04])), net.constant(np.int8([1] * 4))
    real = net.op("DequantizeLinear", stored, scale, zero, axis=0)
    folded = net.op("Reshape", net.op("Neg", real), net.constant(np.array([1, 24])))
    x = net.op("Mul", net.input("x", [1, 24]), folded)
    net.output(net.op("Add", x, net.quantised(folded)))
    values = net.rng.standard_normal((1, 24)).astype(np.float32)
    path = net.save(tmp_path / "net.onnx")
    np.testing.assert_array_equal(forebay.compile(path).run(values), reference(path, [values])[0])
