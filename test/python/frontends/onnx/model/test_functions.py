"""Operators that ONNX defines as functions, compared with ONNX's reference evaluator."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from common.onnx_networks import OnnxNetwork, reference
from common.sweep import sweep
from onnx import helper

import forebay
from forebay.errors import Error
from forebay.frontends.onnx.importer import integer_graph
from forebay.frontends.onnx.lowering.registry import onnx_lowerings
from forebay.frontends.onnx.model.read import read_onnx

SHAPE = [1, 4, 6, 8]
Build = Callable[[OnnxNetwork, str], str]


def _unary(kind: str, **attributes: Any) -> Build:
    return lambda net, x: net.op(kind, x, **attributes)


def _attention(net: OnnxNetwork, x: str) -> str:
    keys = net.op("Mul", x, net.constant(np.float32(0.5)))
    return net.op("Attention", x, keys, x, is_causal=1)


FUNCTIONS: dict[str, Build] = {
    "Mish": _unary("Mish"),
    "Celu": _unary("Celu", alpha=0.7),
    "Selu": _unary("Selu"),
    "Softsign": _unary("Softsign"),
    "Swish": _unary("Swish"),
    "ThresholdedRelu": _unary("ThresholdedRelu", alpha=0.3),
    "Shrink": _unary("Shrink", lambd=0.3, bias=0.1),
    "MeanVarianceNormalization": _unary("MeanVarianceNormalization"),
    "Attention": _attention,
}


def _f32(*shape: int, seed: int = 5) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("name", sweep(FUNCTIONS, fast=3))
def test_a_function_equals_the_reference(name: str, tmp_path: Path) -> None:
    net = OnnxNetwork(opset=24)
    net.output_of(FUNCTIONS[name](net, net.input("x", SHAPE)), "float32", 4)
    path, x = net.save(tmp_path / "net.onnx"), _f32(*SHAPE)
    golden = reference(path, [x])[0]
    y = forebay.compile(path).run(x)
    assert np.abs(y - golden).max() <= 1e-6 * np.abs(golden).max()


OLD = [(name, opset) for opset in (17, 11) for name in ("Softsign", "Selu", "Shrink")]


@pytest.mark.parametrize("case", sweep(OLD, fast=1), ids=str)
def test_a_function_that_is_older_than_its_definition_equals_the_reference(
    case: tuple[str, int], tmp_path: Path
) -> None:
    name, opset = case
    net = OnnxNetwork(opset=opset)
    net.output(FUNCTIONS[name](net, net.input("x", SHAPE)))
    path, x = net.save(tmp_path / "net.onnx"), _f32(*SHAPE)
    golden = reference(path, [x])[0]
    y = forebay.compile(path).run(x)
    assert np.abs(y - golden).max() <= 1e-6 * np.abs(golden).max()


def test_operators_of_a_definition_have_the_place_of_the_function(tmp_path: Path) -> None:
    net = OnnxNetwork()
    net.output(net.op("Mish", net.op("Relu", net.input("x", SHAPE))))
    graph = integer_graph(read_onnx(net.save(tmp_path / "net.onnx"), {}))
    assert [(o.index, o.name, o.kind) for o in graph.operators] == [
        (0, "Relu", "Relu"),
        (1, "Mish", "Softplus"),
        (1, "Mish", "Tanh"),
        (1, "Mish", "Mul"),
    ]
    assert {o.kind for o in graph.operators} <= set(onnx_lowerings())


def test_a_function_of_one_stored_integer_is_a_table(tmp_path: Path) -> None:
    net = OnnxNetwork(7)
    net.output(net.quantised(net.op("Mish", net.quantised(net.input("x", SHAPE)))))
    path, x = net.save(tmp_path / "net.onnx"), _f32(*SHAPE)
    kinds = [o.kind for o in integer_graph(read_onnx(path, {})).operators]
    assert kinds == ["QuantizeLinear", "Table", "DequantizeLinear"]
    np.testing.assert_array_equal(forebay.compile(path).run(x), reference(path, [x])[0])


def test_a_function_of_the_file_becomes_its_operators(tmp_path: Path) -> None:
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("local", 1)]
    body = [helper.make_node("Add", ["a", "a"], ["b"]), helper.make_node("Neg", ["b"], ["c"])]
    x, y = (helper.make_tensor_value_info(name, 1, SHAPE) for name in "xy")
    call = helper.make_node("Twice", ["x"], ["y"], domain="local")
    model = helper.make_model(
        helper.make_graph([call], "net", [x], [y]),
        opset_imports=opsets,
        functions=[helper.make_function("local", "Twice", ["a"], ["c"], body, opsets)],
        ir_version=10,
    )
    onnx.save(model, tmp_path / "net.onnx")
    data = _f32(*SHAPE)
    np.testing.assert_array_equal(forebay.compile(tmp_path / "net.onnx").run(data), -2 * data)


def test_a_missing_operator_of_a_definition_is_named_as_the_function(tmp_path: Path) -> None:
    net = OnnxNetwork()
    net.output_of(net.op("HannWindow", net.input("size", [], "int32")), "float32", 1)
    with pytest.raises(Error, match=r"operator 0 \(HannWindow\): not supported"):
        forebay.compile(net.save(tmp_path / "net.onnx"))
