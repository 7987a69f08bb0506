"""Whole networks, compared with ONNX's reference evaluator."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from common.onnx_networks import OnnxNetwork, exact_reference, reference
from mlir import ir

import forebay
from forebay.errors import Error
from forebay.frontends.importers import ImportRequest
from forebay.frontends.onnx.importer import import_request
from forebay.ir.locations import operator_of
from forebay.ir.nested import ops_nested_in


def _cnn(*, unsigned: bool) -> OnnxNetwork:
    net = OnnxNetwork(3, unsigned=unsigned)
    q = net.quantised(net.input("x", [2, 3, 16, 16]))
    y = net.quantised(net.op("Relu", net.conv(q, (8, 3), 3, pads=[1] * 4, strides=[2, 2])))
    z = net.conv(y, (8, 1), 3, pads=[1] * 4, group=8)
    z = net.op("Clip", z, net.constant(np.float32(0)), net.constant(np.float32(6)))
    z = net.quantised(z, 6 / 255, 0 if unsigned else -128)
    z = net.quantised(net.op("Add", net.quantised(net.conv(z, (8, 8), 1)), y))
    z = net.quantised(net.op("Sigmoid", z), 1 / 256)
    z = net.quantised(net.op("MaxPool", z, kernel_shape=[2, 2], strides=[2, 2]))
    w, scales = net.weights(10, 8 * 4 * 4)
    bias = net.bias(10, net.scale_of(z) * scales)
    net.output(net.quantised(net.op("Gemm", net.op("Flatten", z), w, bias, transB=1), 0.5))
    return net


@pytest.mark.parametrize("unsigned", [False, True])
def test_a_network_of_the_qdq_form_has_the_bits_of_the_reference(
    tmp_path: Path, unsigned: bool
) -> None:
    path = _cnn(unsigned=unsigned).save(tmp_path / "net.onnx")
    x = np.random.default_rng(1).normal(size=(2, 3, 16, 16)).astype(np.float32)
    compiled = forebay.compile(path)
    y = compiled.run(x)
    np.testing.assert_array_equal(y, reference(path, [x])[0])
    np.testing.assert_array_equal(y, exact_reference(path, [x])[0].astype(np.float32))
    # The image after the first layer, 8 x 8 x 8 of int8 for each of 2, and its depthwise form.
    assert compiled.plan.peak("workspace") <= 2 * 3 * 16 * 16 + 2 * 2 * 8 * 8 * 8


def test_a_missing_operator_is_refused_by_name_and_index(tmp_path: Path) -> None:
    net = OnnxNetwork()
    x = net.op("Relu", net.input("x", [4, 4]))
    net.output_of(net.op("IsNaN", net.op("Det", x)), "bool", 0)
    with pytest.raises(Error) as refused:
        forebay.compile(net.save(tmp_path / "net.onnx"))
    assert "operator 1 (Det)" in str(refused.value)
    assert "operator 2 (IsNaN)" in str(refused.value)


def test_a_dynamic_input_takes_a_shape(tmp_path: Path) -> None:
    net = OnnxNetwork()
    net.input("x", ["batch", 4])
    net.output(net.op("Relu", "x"))
    path = net.save(tmp_path / "net.onnx")
    with pytest.raises(Error, match="--shape x="):
        forebay.compile(path)
    x = np.array([[-1, 0, 1, 2], [3, -4, 5, -6]], np.float32)
    np.testing.assert_array_equal(
        forebay.compile(path, shapes={"x": (2, 4)}).run(x), np.maximum(x, 0)
    )


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    good = _cnn(unsigned=False).save(tmp_path / "net.onnx").read_bytes()
    for size in (0, 10, len(good) // 2):
        (tmp_path / "cut.onnx").write_bytes(good[:size])
        with pytest.raises(Error, match=r"cut\.onnx"):
            forebay.compile(tmp_path / "cut.onnx")


@pytest.mark.parametrize("scale", [0.0, -0.1, np.nan])
def test_a_scale_that_is_not_positive_is_refused(scale: float, tmp_path: Path) -> None:
    net = OnnxNetwork()
    net.output(net.quantised(net.input("x", [1, 4]), scale, 0))
    with pytest.raises(Error, match="a scale of"):
        forebay.compile(net.save(tmp_path / "net.onnx"))


def test_stored_integers_of_another_type_than_their_zero_point_are_refused(tmp_path: Path) -> None:
    net = OnnxNetwork()
    x = net.input("x", [1, 4], "bool")
    at = [net.constant(np.float32(0.1)), net.constant(np.uint8(3))]
    weights = [net.constant(np.ones((4, 2), np.int8)), net.constant(np.float32(0.1))]
    zero = net.constant(np.int8(0))
    net.output_of(net.op("QLinearMatMul", x, *at, *weights, zero, *at), "uint8", 2)
    with pytest.raises(Error, match="operand 0 is bool, and its zero point uint8"):
        forebay.compile(net.save(tmp_path / "net.onnx"))


def test_an_index_of_floats_is_refused(tmp_path: Path) -> None:
    net = OnnxNetwork()
    y = net.op("Gather", net.input("x", [3, 4]), net.constant(np.float32([0, 1])))
    net.output_of(y, "float32", 2)
    with pytest.raises(Error, match=r"not a valid ONNX model: .*Gather"):
        forebay.compile(net.save(tmp_path / "net.onnx"))


def test_scales_of_channels_on_batches_of_weights_are_refused(tmp_path: Path) -> None:
    net = OnnxNetwork()
    weights, _ = net.weights(2, 4, 3, axis=2)
    net.output(net.quantised(net.op("MatMul", net.quantised(net.input("x", [2, 5, 4])), weights)))
    with pytest.raises(Error, match="a scale per channel on weights that are no matrix"):
        forebay.compile(net.save(tmp_path / "net.onnx"))


def test_scales_that_do_not_fit_the_axes_are_refused(tmp_path: Path) -> None:
    net = OnnxNetwork()
    scales = net.constant(np.float32([1, 1, 2]))
    y = net.op("Resize", net.input("x", [1, 4, 6, 8]), "", scales)
    net.output_of(y, "float32", 4)
    with pytest.raises(Error, match="scales or sizes"):
        forebay.compile(net.save(tmp_path / "net.onnx"))


def test_locations_name_the_operator_of_the_file(tmp_path: Path) -> None:
    path = _cnn(unsigned=False).save(tmp_path / "net.onnx")
    with ir.Context():
        module, _ = import_request(ImportRequest(path))
        found = [operator_of(op.location) for op in ops_nested_in(module.operation)]
    nodes = onnx.load(path).graph.node
    named = [operator for operator in found if operator is not None]
    assert {"Conv", "Gemm", "Add", "MaxPool"} <= {operator.kind for operator in named}
    assert all(nodes[operator.index].op_type == operator.kind for operator in named)
