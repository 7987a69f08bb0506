"""The weights and biases of convolutions and fully connected layers, with their scales."""

from __future__ import annotations

import numpy as np
from mlir import ir
from numpy.typing import NDArray

from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.quantize import Multiplier

_WEIGHTS = 1
_BIAS = 2


def check_weights(node: Node, *, rank: int, channel_dimension: int) -> NDArray[np.generic]:
    """Return operand 1: constant, of the rank, and if quantised, symmetric along the channels."""
    weights = node.constant(_WEIGHTS)
    if weights.ndim != rank or weights.size == 0:
        node.malformed(f"the weights have the shape {list(weights.shape)}")
    if weights.dtype == np.float32:
        return weights
    quantization = node.input(_WEIGHTS).quantization
    if quantization is None:
        node.malformed("the weights have no scales")
    if any(z != 0 for z in quantization.zero_points):
        node.refuse("weights with a zero point", "quantise weights symmetrically")
    count = len(quantization.scales)
    if count > 1:
        channels = weights.shape[channel_dimension]
        if quantization.dimension != channel_dimension or count != channels:
            node.malformed(
                f"the weights have {count} scales along dimension {quantization.dimension} "
                f"instead of {channels} along dimension {channel_dimension}"
            )
    return weights


def bias_of(node: Node, channels: int) -> ir.Value:
    """Return operand 2, or zeros where it is absent."""
    if not node.has(_BIAS):
        quantised = node.output.type is ElementType.INT8
        return emit.tosa_constant(np.zeros(channels, np.int32 if quantised else np.float32))
    if node.constant(_BIAS).shape != (channels,):
        node.malformed(f"the bias has the shape {list(node.shape(_BIAS))}, not [{channels}]")
    return node.value(_BIAS)


def channel_multipliers(node: Node, channel_dimension: int) -> list[Multiplier]:
    """Return `input scale * weight scale / output scale`, in double: one, or one per channel."""
    quantization = node.input(_WEIGHTS).quantization
    if quantization is None:
        node.malformed("the weights have no scales")
    source = node.quantization(node.input(0)).scale
    target = node.quantization(node.output).scale
    reaches = _reaches(node, channel_dimension)
    if len(quantization.scales) == 1:
        reaches = [max(reaches)]
    return [
        node.multiplier(source * scale / target, reach=reach)
        for scale, reach in zip(quantization.scales, reaches, strict=True)
    ]


def _reaches(node: Node, channel_dimension: int) -> list[int]:
    """Return the largest magnitude of each channel's accumulator, over all inputs."""
    weights = np.moveaxis(node.constant(_WEIGHTS), channel_dimension, 0).astype(np.int64)
    rows = weights.reshape(weights.shape[0], -1)
    zero_point = node.quantization(node.input(0)).zero_point
    above, below = 127 - zero_point, 128 + zero_point
    positive, negative = rows.clip(min=0).sum(1), (-rows).clip(min=0).sum(1)
    bias = node.constant(_BIAS).astype(np.int64) if node.has(_BIAS) else 0
    highest = positive * above + negative * below + bias
    lowest = positive * below + negative * above - bias
    return np.maximum(np.maximum(highest, lowest), 0).tolist()
