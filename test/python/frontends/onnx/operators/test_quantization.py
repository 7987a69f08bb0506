"""QuantizeLinear and DequantizeLinear, compared with ONNX's reference evaluator."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common.onnx_networks import OnnxNetwork, reference

import forebay
from forebay.errors import Error
from forebay.frontends.onnx.importer import integer_graph
from forebay.frontends.onnx.model.read import read_onnx

SHAPE = [1, 4, 6, 8]


def _f32(*shape: int, seed: int = 5) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize(("number", "dtype"), [(0, "uint8"), (3, "int8"), (5, "int16")])
def test_an_attribute_gives_the_type_without_a_zero_point(
    number: int, dtype: str, tmp_path: Path
) -> None:
    net = OnnxNetwork()
    x, scale = net.input("x", SHAPE), net.constant(np.float32(0.0123))
    net.output(net.op("QuantizeLinear", x, scale, output_dtype=number), dtype)
    path, data = net.save(tmp_path / "net.onnx"), _f32(*SHAPE) * 400
    y = forebay.compile(path).run(data)
    assert y.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(y, reference(path, [data])[0])


def _wide(net: OnnxNetwork, x: str, scale: float, zero_point: int = 0) -> str:
    at = net.constant(np.float32(scale)), net.constant(np.int16(zero_point))
    return net.op("DequantizeLinear", net.op("QuantizeLinear", x, *at), *at)


def test_activations_of_int16_have_the_bits_of_the_reference(tmp_path: Path) -> None:
    net = OnnxNetwork()
    x = _wide(net, net.input("x", SHAPE), 0.00011)
    turned = net.op("Transpose", net.op("Relu", x), perm=[0, 2, 3, 1])
    y = _wide(net, net.op("Add", turned, net.constant(np.float32(0.3))), 0.00013, 700)
    net.output(y)
    path, data = net.save(tmp_path / "net.onnx"), _f32(*SHAPE)
    np.testing.assert_array_equal(forebay.compile(path).run(data), reference(path, [data])[0])


def test_stored_integers_of_int16_are_moved(tmp_path: Path) -> None:
    net = OnnxNetwork()
    x = _wide(net, net.input("x", SHAPE), 0.001)
    turned = net.op("Transpose", x, perm=[0, 2, 3, 1])
    net.output(_wide(net, turned, 0.001))
    path, data = net.save(tmp_path / "net.onnx"), _f32(*SHAPE)
    kinds = [o.kind for o in integer_graph(read_onnx(path, {})).operators]
    assert kinds == ["QuantizeLinear", "Transpose", "Identity", "DequantizeLinear"]
    np.testing.assert_array_equal(forebay.compile(path).run(data), reference(path, [data])[0])


def test_other_integers_are_refused(tmp_path: Path) -> None:
    net = OnnxNetwork()
    at = net.constant(np.float32(0.1)), net.constant(np.uint16(3))
    q = net.op("QuantizeLinear", net.input("x", SHAPE), *at)
    net.output(net.op("DequantizeLinear", q, *at))
    with pytest.raises(Error, match=r"operator 0 \(QuantizeLinear\): .*a result of uint16"):
        forebay.compile(net.save(tmp_path / "net.onnx"))
