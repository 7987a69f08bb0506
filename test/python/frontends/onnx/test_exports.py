"""Networks in the form in which PyTorch's exporters write them, against the reference evaluator."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common.onnx_networks import OnnxNetwork, exact_reference, reference
from onnx import numpy_helper

import forebay

WORDS, TOKENS, WIDTH, HEADS = 20, 6, 8, 2


def _f32(*shape: int, seed: int = 5) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def _i64(*values: int) -> Any:
    return np.array(values, np.int64)


class _Exported(OnnxNetwork):
    """The patterns of operators that modules become."""

    def weights_of(self, *shape: int) -> str:
        scale = np.float32(np.prod(shape[1:]) ** -0.5)
        return self.constant(self.rng.normal(size=shape).astype(np.float32) * scale)

    def linear(self, x: str, inputs: int, outputs: int) -> str:
        product = self.op("MatMul", x, self.op("Transpose", self.weights_of(outputs, inputs)))
        return self.op("Add", self.weights_of(outputs), product)

    def normalised(self, x: str) -> str:
        """Normalise a layer, as opsets below 17 write it."""
        centred = self.op("Sub", x, self.op("ReduceMean", x, self.constant(_i64(-1))))
        power = self.op("Pow", centred, self.constant(np.float32(2)))
        variance = self.op("ReduceMean", power, self.constant(_i64(-1)))
        deviation = self.op("Sqrt", self.op("Add", variance, self.constant(np.float32(1e-5))))
        factor, offset = self.weights_of(WIDTH), self.weights_of(WIDTH)
        normal = self.op("Div", centred, deviation)
        return self.op("Add", self.op("Mul", normal, factor), offset)

    def heads(self, x: str, order: list[int]) -> str:
        """Split the last dimension into heads, by a shape that is computed."""
        shape, first = self.op("Shape", x), self.constant(_i64(0))
        sizes = [
            self.op("Unsqueeze", self.op("Gather", shape, self.constant(i)), first)
            for i in (_i64(0)[0], _i64(1)[0])
        ]
        rest = [self.constant(_i64(n)) for n in (HEADS, WIDTH // HEADS)]
        split = self.op("Reshape", x, self.op("Concat", *sizes, *rest, axis=0))
        return self.op("Transpose", split, perm=order)

    def mask(self, x: str) -> str:
        """Return a causal mask of the length of a sequence."""
        count = self.op("Gather", self.op("Shape", x), self.constant(_i64(1)[0]))
        size = self.op("Unsqueeze", count, self.constant(_i64(0)))
        rows = self.op("Range", self.constant(_i64(0)[0]), count, self.constant(_i64(1)[0]))
        column = self.op("Unsqueeze", rows, self.constant(_i64(1)))
        later = self.op("Less", column, rows)
        both = self.op("Concat", size, size, axis=0)
        zero = numpy_helper.from_array(np.zeros(1, np.float32))
        zeros = self.op("ConstantOfShape", both, value=zero)
        return self.op("Where", later, self.constant(np.float32(-1e9)), zeros)

    def attention(self, x: str) -> str:
        joint = self.linear(x, WIDTH, 3 * WIDTH)
        parts = self.op("Split", joint, outputs=3, axis=-1, num_outputs=3)
        orders = ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3])
        q, k, v = (self.heads(p, order) for p, order in zip(parts, orders, strict=True))
        root = self.op("Sqrt", self.op("Sqrt", self.constant(np.float32(WIDTH // HEADS))))
        scores = self.op("MatMul", self.op("Div", q, root), self.op("Div", k, root))
        weights = self.op("Softmax", self.op("Add", scores, self.mask(x)), axis=-1)
        mixed = self.op("Transpose", self.op("MatMul", weights, v), perm=[0, 2, 1, 3])
        joined = self.op("Reshape", mixed, self.constant(_i64(0, 0, WIDTH)))
        return self.linear(joined, WIDTH, WIDTH)

    def gelu(self, x: str) -> str:
        """Return GELU as opsets below 20 write it."""
        half = self.op("Div", x, self.constant(np.float32(2**0.5)))
        raised = self.op("Add", self.op("Erf", half), self.constant(np.float32(1)))
        return self.op("Mul", self.op("Mul", x, raised), self.constant(np.float32(0.5)))

    def doubled(self, x: str, inputs: int, outputs: int) -> str:
        """Two convolutions with normalisation by batch, as in a U-Net."""
        for depth in (inputs, outputs):
            x = self.op("Conv", x, self.weights_of(outputs, depth, 3, 3), pads=[1] * 4)
            constants = [self.weights_of(outputs) for _ in range(3)]
            variance = self.constant(np.abs(self.rng.normal(size=outputs).astype(np.float32)) + 1)
            x = self.op("Relu", self.op("BatchNormalization", x, *constants, variance))
        return x


def test_a_small_decoder_of_text_equals_the_reference(tmp_path: Path) -> None:
    net = _Exported()
    ids = net.input("ids", [1, TOKENS], "int64")
    x = net.op("Gather", net.weights_of(WORDS, WIDTH), ids)
    places = net.op("Expand", net.constant(np.arange(TOKENS)[None]), net.op("Shape", ids))
    x = net.op("Add", x, net.op("Gather", net.weights_of(TOKENS, WIDTH), places))
    for _ in range(2):
        x = net.op("Add", x, net.attention(net.normalised(x)))
        inner = net.gelu(net.linear(net.normalised(x), WIDTH, 4 * WIDTH))
        x = net.op("Add", x, net.linear(inner, 4 * WIDTH, WIDTH))
    logits = net.linear(net.normalised(x), WIDTH, WORDS)
    net.output_of(logits, "float32", 3)
    net.output_of(net.op("ArgMax", logits, axis=-1, keepdims=0), "int64", 2)
    path = net.save(tmp_path / "net.onnx")
    data = np.random.default_rng(1).integers(0, WORDS, (1, TOKENS))
    found, golden = forebay.compile(path).run(data), reference(path, [data])
    assert np.abs(found[0] - golden[0]).max() <= 2e-6 * np.abs(golden[0]).max()
    np.testing.assert_array_equal(found[1], golden[1])


@pytest.mark.parametrize("grows", ["ConvTranspose", "Resize"])
def test_a_u_net_equals_the_reference(grows: str, tmp_path: Path) -> None:
    net = _Exported()
    first = net.doubled(net.input("x", [1, 2, 9, 10]), 2, 4)
    second = net.doubled(net.op("MaxPool", first, kernel_shape=[2, 2], strides=[2, 2]), 4, 6)
    if grows == "ConvTranspose":
        weights = [net.weights_of(6, 4, 2, 2), net.weights_of(4)]
        x = net.op("ConvTranspose", second, *weights, strides=[2, 2], kernel_shape=[2, 2])
        x = net.op("Pad", x, net.constant(_i64(0, 0, 0, 0, 0, 0, 1, 0)), mode="reflect")
        depth = 4
    else:
        ends = [net.constant(_i64(n)) for n in (0, 2, 4)]
        size = net.op("Slice", net.op("Shape", first), *ends[1:], ends[0])
        start = net.op("Slice", net.op("Shape", second), *ends[:2], ends[0])
        sizes = net.op("Concat", start, size, axis=0)
        x = net.op(
            "Resize",
            *(second, "", "", sizes),
            mode="linear",
            coordinate_transformation_mode="align_corners",
        )
        depth = 6
    x = net.doubled(net.op("Concat", first, x, axis=1), 4 + depth, 4)
    x = net.op("Conv", x, net.weights_of(3, 4, 1, 1), net.weights_of(3))
    net.output_of(x, "float32", 4)
    path, data = net.save(tmp_path / "net.onnx"), _f32(1, 2, 9, 10)
    y, golden = forebay.compile(path).run(data), reference(path, [data])[0]
    assert np.abs(y - golden).max() <= 2e-6 * np.abs(golden).max()


def test_a_quantised_u_net_has_the_bits_of_the_reference(tmp_path: Path) -> None:
    net = OnnxNetwork(7)
    x = net.quantised(net.input("x", [1, 3, 8, 8]))
    first = net.quantised(net.op("Relu", net.conv(x, (4, 3), 3, pads=[1] * 4)), 0.04, -90)
    low = net.op("MaxPool", first, kernel_shape=[2, 2], strides=[2, 2])
    w, scales = net.weights(6, 4, 3, 3)
    bias = net.bias(6, np.float32(0.04) * scales)
    second = net.op("Relu", net.op("Conv", low, w, bias, pads=[1] * 4))
    second = net.quantised(second, 0.1, -100)
    w, scales = net.weights(6, 4, 2, 2, axis=1)
    bias = net.bias(4, np.float32(0.1) * scales)
    grown = net.quantised(net.op("ConvTranspose", second, w, bias, strides=[2, 2]), 0.15, 7)
    scales = net.constant(np.float32([1, 1, 2, 2]))
    mixed = net.quantised(net.op("Resize", second, "", scales, mode="linear"), 0.1, -100)
    joined = net.quantised(net.op("Concat", first, grown, mixed, axis=1), 0.11, -20)
    net.output_of(net.quantised(net.conv(joined, (2, 14), 1), 0.3, 2), "float32", 4)
    path, data = net.save(tmp_path / "net.onnx"), _f32(1, 3, 8, 8)
    golden = exact_reference(path, [data])[0].astype(np.float32)
    np.testing.assert_array_equal(forebay.compile(path).run(data), golden)
