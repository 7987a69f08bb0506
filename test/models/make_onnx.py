"""Write the ONNX networks of this folder, with inputs and ONNX's reference outputs.

python test/models/make_onnx.py [FOLDER]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from common.onnx_networks import OnnxNetwork, reference

_INFERENCES = 4


class _Network(OnnxNetwork):
    """A network whose scales have no common factor, as those of calibrated networks.

    Where the ratio of scales is a short fraction, many sums lie between two integers, and the
    rounding errors of the reference's float32 decide.
    """

    def quantised(self, x: str, scale: Any = None, zero_point: int | None = None) -> str:
        own = self.scale() if scale is None else scale * self.rng.uniform(0.97, 1.03)
        return super().quantised(x, own, zero_point)


def separable_qdq() -> OnnxNetwork:
    """Depthwise-separable convolutions of int8, in the form that onnxruntime's quantiser writes."""
    net = _Network(101)
    x = net.quantised(net.input("image", [1, 3, 24, 24]), 0.03)
    y = net.quantised(net.op("Relu", net.conv(x, (8, 3), 3, pads=[1] * 4, strides=[2, 2])), 0.09)
    for before, after, stride in [(8, 16, 1), (16, 24, 2), (24, 24, 1)]:
        y = net.conv(y, (before, 1), 3, pads=[1] * 4, strides=[stride] * 2, group=before)
        y = net.quantised(_six(net, y), 6 / 255, -128)
        y = net.quantised(_six(net, net.conv(y, (after, before), 1)), 6 / 255, -128)
    y = net.quantised(net.op("GlobalAveragePool", y))
    w, scales = net.weights(5, 24)
    bias = net.bias(5, net.scale_of(y) * scales)
    y = net.quantised(net.op("Gemm", net.op("Flatten", y), w, bias, transB=1), 0.06)
    net.output(y)
    return net


def residual_uint8() -> OnnxNetwork:
    """Residual blocks of uint8 activations, with a projection and a concatenation."""
    net = _Network(102, unsigned=True)
    x = net.quantised(net.input("image", [1, 3, 16, 16]), 0.03)
    y = net.quantised(net.op("Relu", net.conv(x, (8, 3), 3, pads=[1] * 4)), 0.1, 0)
    z = net.quantised(net.op("Relu", net.conv(y, (8, 8), 3, pads=[1] * 4)), 0.2, 0)
    z = net.quantised(net.conv(z, (8, 8), 3, pads=[1] * 4), 0.2)
    y = net.quantised(net.op("Relu", net.op("Add", y, z)), 0.15, 0)
    short = net.quantised(net.conv(y, (12, 8), 1, strides=[2, 2]), 0.25)
    z = net.quantised(net.op("Relu", net.conv(y, (12, 8), 3, pads=[1] * 4, strides=[2, 2])), 0.3, 0)
    y = net.quantised(net.op("Relu", net.op("Add", short, z)), 0.3, 0)
    y = net.quantised(net.op("Concat", y, net.op("HardSwish", short), axis=1), 0.3)
    pooled = net.op("AveragePool", y, kernel_shape=[4, 4], strides=[4, 4])
    y = net.quantised(pooled, 0.11)
    w, scales = net.weights(6, 96)
    bias = net.bias(6, net.scale_of(y) * scales)
    net.output(net.quantised(net.op("Gemm", net.op("Flatten", y), w, bias, transB=1), 0.2))
    return net


def mlp_qlinear() -> OnnxNetwork:
    """QLinearConv and QLinearMatMul on uint8, from input to output."""
    net = _Network(103, unsigned=True)
    at = [(0.02, 118), (0.11, 20), (0.3, 77), (0.9, 131)]
    points = [(net.constant(np.float32(s)), net.constant(np.array(z, np.uint8))) for s, z in at]
    x = net.input("signal", [1, 4, 32], "uint8")
    rng = net.rng
    w = rng.integers(-127, 128, (8, 4, 5)).astype(np.int8)
    scales = rng.uniform(0.002, 0.01, 8).astype(np.float32)
    zero = net.constant(np.zeros(8, np.int8))
    image = net.op("Reshape", x, net.constant(np.array([1, 4, 1, 32])))
    filters = (net.constant(w[:, :, None]), net.constant(scales), zero)
    bias = net.constant(rng.integers(-900, 900, 8).astype(np.int32))
    y = net.op("QLinearConv", image, *points[0], *filters, *points[1], bias, strides=[1, 3])
    y = net.op("Reshape", y, net.constant(np.array([1, 80])))
    for i, (depth, width) in enumerate([(80, 32), (32, 10)], start=1):
        matrix = net.constant(rng.integers(-127, 128, (depth, width)).astype(np.int8))
        own = (net.constant(np.float32(0.011)), net.constant(np.array(0, np.int8)))
        y = net.op("QLinearMatMul", y, *points[i], matrix, *own, *points[i + 1])
        if i == 1:
            real = net.op("Relu", net.op("DequantizeLinear", y, *points[2]))
            y = net.op("QuantizeLinear", real, *points[2])
    net.output(y, "uint8")
    return net


def transformer(*, quantised: bool) -> OnnxNetwork:
    """One layer of an encoder with two heads; floats, or int8 products and sums."""
    net = _Network(104)
    length, width, heads = 8, 16, 2
    mark = net.quantised if quantised else lambda x, *_: x

    def dense(x: str, depth: int, out: int, scale: float) -> str:
        if quantised:
            w, _ = net.weights(depth, out, axis=1)
        else:
            w = net.constant(net.rng.normal(0, 0.3, (depth, out)).astype(np.float32))
        return mark(net.op("MatMul", x, w), scale)

    def split(x: str) -> str:
        shape = net.constant(np.array([1, length, heads, width // heads]))
        return net.op("Transpose", net.op("Reshape", x, shape), perm=[0, 2, 1, 3])

    def normal(x: str) -> str:
        gain = net.constant(net.rng.uniform(0.5, 1.5, width).astype(np.float32))
        shift = net.constant(net.rng.normal(0, 0.1, width).astype(np.float32))
        return mark(net.op("LayerNormalization", x, gain, shift, axis=-1), 0.03)

    x = mark(net.input("tokens", [1, length, width]), 0.03)
    query, key, value = (split(dense(x, width, width, 0.05)) for _ in range(3))
    scores = net.op("MatMul", query, net.op("Transpose", key, perm=[0, 1, 3, 2]))
    weights = mark(net.op("Softmax", mark(scores, 0.1), axis=-1), 1 / 256, -128)
    mixed = net.op("Transpose", mark(net.op("MatMul", weights, value), 0.05), perm=[0, 2, 1, 3])
    mixed = net.op("Reshape", mixed, net.constant(np.array([1, length, width])))
    x = normal(mark(net.op("Add", x, dense(mixed, width, width, 0.05)), 0.06))
    hidden = mark(net.op("Gelu", dense(x, width, 32, 0.05)), 0.03)
    net.output(normal(mark(net.op("Add", x, dense(hidden, 32, width, 0.05)), 0.06)))
    return net


def _six(net: OnnxNetwork, x: str) -> str:
    return net.op("Clip", x, net.constant(np.float32(0)), net.constant(np.float32(6)))


NETWORKS: dict[str, Callable[[], OnnxNetwork]] = {
    "separable_qdq": separable_qdq,
    "residual_uint8": residual_uint8,
    "mlp_qlinear": mlp_qlinear,
    "transformer_qdq": lambda: transformer(quantised=True),
    "transformer_float": lambda: transformer(quantised=False),
}


def make(name: str, folder: Path) -> None:
    """Write a network, and an archive of inputs `in0_<i>` and outputs `out0_<i>`."""
    path = NETWORKS[name]().save(folder / f"{name}.onnx")
    shape, dtype = _input_of(path)
    rng = np.random.default_rng(7)
    arrays = {}
    for i in range(_INFERENCES):
        x = rng.normal(0, 1, shape).astype(np.float32)
        if dtype == "uint8":
            x = rng.integers(0, 256, shape).astype(np.uint8)
        arrays[f"in0_{i}"] = x
        arrays[f"out0_{i}"] = reference(path, [x])[0]
    np.savez_compressed(folder / f"{name}.npz", **arrays)


def _input_of(path: Path) -> tuple[tuple[int, ...], str]:
    import onnx

    value = onnx.load(path).graph.input[0].type.tensor_type
    shape = tuple(d.dim_value for d in value.shape.dim)
    return shape, "uint8" if value.elem_type == onnx.TensorProto.UINT8 else "float32"


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    for each in NETWORKS:
        make(each, target)
