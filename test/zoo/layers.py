"""Layers of a quantised network: each appends its operator, and returns the result's tensor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from common.model_file import Graph, Op, T, build

SPREAD = {"int8": 40.0, "int16": 10_000.0}
"""The standard deviation of stored values for which scales are chosen."""
RELU = 1


@dataclass
class Net:
    """A network while it is made; all activations have one type, and weights are int8."""

    seed: int
    dtype: str = "int8"
    tensors: list[T] = field(default_factory=list)
    operators: list[Op] = field(default_factory=list)
    deviations: dict[int, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)

    def tensor(self, tensor: T) -> int:
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    def value(self, shape: Sequence[int], deviation: float, name: str = "", zero: int = 0) -> int:
        """An activation with that standard deviation."""
        scale = float(np.float32(deviation / SPREAD[self.dtype]))
        index = self.tensor(T(tuple(shape), self.dtype, scale, zero, name=name))
        self.deviations[index] = deviation
        return index

    def constant(self, values: object, dtype: str = "int32") -> int:
        data = np.array(values, dtype)
        return self.tensor(T(data.shape, dtype, data=data))

    def emit(
        self,
        name: str,
        inputs: Sequence[int],
        outputs: Sequence[int],
        options: str = "",
        **fields: object,
    ) -> int:
        self.operators.append(Op(name, list(inputs), list(outputs), options, fields))
        return outputs[0] if outputs else -1

    def shape(self, x: int) -> tuple[int, ...]:
        return tuple(self.tensors[x].shape)

    def weights(
        self, x: int, shape: Sequence[int], channel: int, gain: float = 1.0
    ) -> tuple[int, int, float]:
        """Weights, their bias, and the standard deviation of the sums."""
        fan = math.prod(shape) // shape[channel]
        scale = np.float32(gain / (40 * math.sqrt(fan)))
        data = np.clip(np.rint(self.rng.normal(0, 40, shape)), -127, 127).astype(np.int8)
        each = [float(scale * np.float32(f)) for f in self.rng.uniform(0.7, 1.3, shape[channel])]
        w = self.tensor(T(tuple(shape), "int8", each, 0, data, dimension=channel))
        scales = [float(np.float32(self.tensors[x].scale) * np.float32(s)) for s in each]  # type: ignore[arg-type]
        wide = "int64" if self.dtype == "int16" else "int32"
        bias = np.rint(self.rng.normal(0, 0.1, shape[channel]) / np.array(scales)).astype(wide)
        b = self.tensor(T(bias.shape, wide, scales, data=bias))
        return w, b, gain * self.deviations[x] + 0.1

    def conv(self, x: int, channels: int, kernel: int, stride: int = 1, act: int = RELU) -> int:
        n, h, w, depth = self.shape(x)
        filters, bias, deviation = self.weights(x, (channels, kernel, kernel, depth), 0)
        out = self.value(
            (n, -(-h // stride), -(-w // stride), channels), deviation, zero=self.low(act)
        )
        fields = {"StrideH": stride, "StrideW": stride, "FusedActivationFunction": act}
        return self.emit("CONV_2D", [x, filters, bias], [out], "Conv2DOptions", **fields)

    def depthwise(self, x: int, stride: int = 1) -> int:
        n, h, w, depth = self.shape(x)
        filters, bias, deviation = self.weights(x, (1, 3, 3, depth), 3)
        out = self.value(
            (n, -(-h // stride), -(-w // stride), depth), deviation, zero=self.low(RELU)
        )
        fields = {"StrideH": stride, "StrideW": stride, "FusedActivationFunction": RELU}
        fields["DepthMultiplier"] = 1
        return self.emit(
            "DEPTHWISE_CONV_2D", [x, filters, bias], [out], "DepthwiseConv2DOptions", **fields
        )

    def dense(
        self, x: int, channels: int, act: int = 0, *, keep: bool = False, gain: float = 1.0
    ) -> int:
        shape = self.shape(x)
        filters, bias, deviation = self.weights(x, (channels, shape[-1]), 0, gain)
        if self.dtype == "int8":  # per tensor, as converters make them
            scale = float(np.mean(self.tensors[filters].scale))  # type: ignore[arg-type]
            self.tensors[filters].scale = scale
            self.tensors[bias].scale = scale * self.tensors[x].scale  # type: ignore[operator]
        out = self.value((*shape[:-1], channels), deviation, zero=self.low(act))
        fields = {"FusedActivationFunction": act, "KeepNumDims": keep}
        return self.emit(
            "FULLY_CONNECTED", [x, filters, bias], [out], "FullyConnectedOptions", **fields
        )

    def low(self, activation: int) -> int:
        """The zero point of a result that is not negative."""
        return -128 if activation and self.dtype == "int8" else 0

    def add(self, a: int, b: int, act: int = 0) -> int:
        deviation = math.hypot(self.deviations[a], self.deviations[b])
        out = self.value(self.shape(a), deviation, zero=self.low(act))
        return self.emit("ADD", [a, b], [out], "AddOptions", FusedActivationFunction=act)

    def mean(self, x: int, axes: Sequence[int]) -> int:
        shape = [n for i, n in enumerate(self.shape(x)) if i not in axes]
        out = self.value(shape, self.deviations[x], zero=self.tensors[x].zero_point)
        return self.emit("MEAN", [x, self.constant(axes)], [out], "ReducerOptions", KeepDims=False)

    def reshape(self, x: int, shape: Sequence[int]) -> int:
        source = self.tensors[x]
        out = self.tensor(T(tuple(shape), self.dtype, source.scale, source.zero_point))
        self.deviations[out] = self.deviations[x]
        return self.emit(
            "RESHAPE", [x, self.constant(shape)], [out], "ReshapeOptions", NewShape=shape
        )

    def softmax(self, x: int) -> int:
        out = self.tensor(T(self.shape(x), self.dtype, 1 / 256, -128))
        self.deviations[out] = 0.2
        return self.emit("SOFTMAX", [x], [out], "SoftmaxOptions", Beta=1.0)

    def product(self, a: int, b: int, *, transposed: bool = False) -> int:
        rows, depth = self.shape(a)[-2:]
        columns = self.shape(b)[-2 if transposed else -1]
        deviation = math.sqrt(depth) * self.deviations[a] * self.deviations[b]
        out = self.value((*self.shape(a)[:-2], rows, columns), deviation)
        return self.emit(
            "BATCH_MATMUL", [a, b], [out], "BatchMatMulOptions", AdjX=False, AdjY=transposed
        )

    def file(self, inputs: Sequence[int], outputs: Sequence[int], *more: Graph) -> bytes:
        return build(Graph(self.tensors, inputs, outputs, self.operators), *more)
