"""TOSA flatbuffers, compared with Arm's reference model; where the extra `forebay[tosa]` is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common.onnx_networks import OnnxNetwork
from mlir import ir

import forebay
from forebay.frontends.importers import ImportRequest, importer_of

TOOLS = Path(sys.executable).parent
ROOT = Path(__file__).parents[4]
DIGITS = ROOT / "examples" / "digits" / "digits_int8.tflite"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (TOOLS / "tosa-opt").is_file(), reason="needs tosa-opt, the extra forebay[tosa]"
    ),
]
FLOATS = """
func.func @main(%x: tensor<1x6x6x2xf32>) -> tensor<1x3x3x2xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.avg_pool2d %x, %z, %z {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>,
    pad = array<i64: 0, 0, 0, 0>, acc_type = f32}
    : (tensor<1x6x6x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x3x3x2xf32>
  %1 = tosa.sigmoid %0 : (tensor<1x3x3x2xf32>) -> tensor<1x3x3x2xf32>
  %2 = tosa.sub %0, %1
    : (tensor<1x3x3x2xf32>, tensor<1x3x3x2xf32>) -> tensor<1x3x3x2xf32>
  return %2 : tensor<1x3x3x2xf32>
}
"""


def _residual(folder: Path) -> Path:
    net = OnnxNetwork(9)
    q = net.op("DequantizeLinear", net.input("x", [1, 4, 8, 8], "int8"), *net._at(0.02, 3))
    y = net.quantised(net.op("Relu", net.conv(q, (8, 4), 3, pads=[1] * 4)))
    pooled = net.op("MaxPool", y, kernel_shape=[2, 2], strides=[2, 2])
    y = net.quantised(pooled, net.scale_of(y), 4)
    z = net.quantised(net.conv(y, (8, 1), 3, pads=[1] * 4, group=8))
    last = net.op("QuantizeLinear", net.conv(z, (4, 8), 1), *net._at(0.3, -4))
    net.output(last, "int8")
    return net.save(folder / "residual.onnx")


def _dense(folder: Path) -> Path:
    net = OnnxNetwork(4)
    q = net.op("DequantizeLinear", net.input("x", [3, 16], "int8"), *net._at(0.02, 3))
    for _ in range(2):
        w, scales = net.weights(16, 16)
        bias = net.bias(16, net.scale_of(q) * scales)
        q = net.quantised(net.op("Relu", net.op("Gemm", q, w, bias, transB=1)), 0.1)
    net.output(net.op("QuantizeLinear", net.op("Tanh", q), *net._at(0.01, 0)), "int8")
    return net.save(folder / "dense.onnx")


def _floats(folder: Path) -> Path:
    path = folder / "floats.mlir"
    path.write_text(FLOATS)
    return path


def _lookup(folder: Path) -> Path:
    net = OnnxNetwork(5)
    q = net.op("DequantizeLinear", net.input("x", [1, 6, 20], "int8"), *net._at(0.03, -8))
    w, scales = net.weights(4, 6, 5)
    y = net.op("Conv", q, w, net.bias(4, net.scale_of(q) * scales), strides=[2], pads=[2, 2])
    y = net.quantised(y, 0.2)
    both = net.op("Concat", net.op("Sigmoid", y), net.op("HardSwish", y), axis=1)
    net.output(net.op("QuantizeLinear", both, *net._at(0.1, -20)), "int8")
    return net.save(folder / "lookup.onnx")


def _autoencoder(_: Path) -> Path:
    return ROOT / "test" / "zoo" / "autoencoder_int8.tflite"


def _perceptron(_: Path) -> Path:
    return ROOT / "test" / "models" / "mlp_qlinear.onnx"


def _serialised(model: Path, folder: Path) -> Path:
    """Write the TOSA of another model as a flatbuffer."""
    with ir.Context(), ir.Location.unknown():
        module, _ = importer_of(model)(ImportRequest(model))
        for function in module.body.operations:
            for kind in ("arg_attrs", "res_attrs"):
                ports = function.attributes[kind]
                named = [ir.DictAttr.get({"tosa.tensor_name": p["accel.name"]}) for p in ports]
                function.attributes[kind] = ir.ArrayAttr.get(named)
        (folder / "tosa.mlir").write_text(module.operation.get_asm())
    target = folder / f"{model.stem}.tosa"
    option = (
        f"--tosa-serialize=tosa-flatbuffer-filename={target} retain-graph-input-output-names=true"
    )
    tool = TOOLS / "tosa-opt"
    subprocess.run([tool, option, folder / "tosa.mlir", "-o", "/dev/null"], check=True)
    return target


def _golden(path: Path, compiled: Any, x: Any) -> Any:
    folder = path.parent
    np.save(folder / "x.npy", x)
    subprocess.run(
        [
            *(TOOLS / "tosa_reference_model", f"--tosa_file={path}"),
            *(f"--flatbuffer_dir={folder}", f"--output_dir={folder}"),
            *(f"--ifm_name={compiled.inputs[0].name}", "--ifm_file=x.npy"),
            *(f"--ofm_name={compiled.outputs[0].name}", "--ofm_file=y.npy"),
        ],
        check=True,
    )
    return np.load(folder / "y.npy")


@pytest.mark.parametrize("make", [_lookup, _residual, _dense, _floats, _autoencoder, _perceptron])
def test_a_flatbuffer_equals_arms_reference_model(make: Any, tmp_path: Path) -> None:
    model = make(tmp_path)
    path = _serialised(model, tmp_path)
    compiled, original = forebay.compile(path), forebay.compile(model)
    assert [i.name for i in compiled.inputs] == [i.name for i in original.inputs]
    port = compiled.inputs[0]
    rng = np.random.default_rng(1)
    x = (
        rng.normal(size=port.shape).astype(np.float32)
        if port.dtype == "float32"
        else rng.integers(-128, 128, port.shape).astype(np.int8)
    )
    y, golden = compiled.run(x), _golden(path, compiled, x)
    if port.dtype == "float32":
        assert np.abs(y - golden).max() <= 1e-6 * np.abs(golden).max()
    else:
        np.testing.assert_array_equal(y, golden)
    assert compiled.plan.peak("workspace") == original.plan.peak("workspace")


def test_custom_operators_are_refused(tmp_path: Path) -> None:
    path = _serialised(DIGITS, tmp_path)
    with pytest.raises(forebay.Error, match="softmax"):
        forebay.compile(path)


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "net.tosa"
    path.write_bytes(b"\x10\x00\x00\x00TOSA" + bytes(40))
    with pytest.raises(forebay.Error, match=r"net\.tosa"):
        forebay.compile(path)
