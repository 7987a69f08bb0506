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
    if any(z != 0 for z in quantization.zero_points) and not node.input(_WEIGHTS).was_unsigned:
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


def weights_zero_point(node: Node) -> int:
    """Return the zero point of operand 1, which only weights of uint8 have."""
    quantization = node.input(_WEIGHTS).quantization
    return quantization.zero_point if quantization and node.output.type.is_quantised else 0


def bias_of(node: Node, channels: int) -> ir.Value:
    """Return operand 2, or zeros where it is absent."""
    bias = bias_elements(node, channels)
    if bias is None:
        quantised = node.output.type is not ElementType.FLOAT32
        return emit.tosa_constant(np.zeros(channels, np.int32 if quantised else np.float32))
    if len(node.shape(_BIAS)) == 1:
        return node.value(_BIAS)
    with node.constant_location(_BIAS):
        return emit.tosa_constant(bias)


def bias_elements(node: Node, channels: int) -> NDArray[np.generic] | None:
    """Return the elements of operand 2 as a vector, or None where it is absent.

    A bias may have further dimensions: TFLite's kernels only ask for the number of elements.
    """
    if not node.has(_BIAS):
        return None
    bias = node.constant(_BIAS)
    if bias.size != channels:
        node.malformed(f"the bias has the shape {list(bias.shape)}, not [{channels}]")
    return bias.reshape(channels)


def sums_are_wide(node: Node) -> bool:
    """Return whether TFLite accumulates in 64 bits: int16 data without a bias of int32."""
    is_int16 = node.input(0).type is ElementType.INT16
    return is_int16 and not (node.has(_BIAS) and node.input(_BIAS).type is ElementType.INT32)


def channel_multipliers(node: Node, channel_dimension: int) -> list[Multiplier]:
    """Return `input scale * weight scale / output scale`, in double: one, or one per channel."""
    reaches = accumulator_reaches(node, channel_dimension)
    reals = _channel_factors(node)
    if len(reals) == 1:
        reaches = [max(reaches)]
    return [node.multiplier(real, reach=reach) for real, reach in zip(reals, reaches, strict=True)]


def wide_channel_multipliers(node: Node, channel_dimension: int) -> list[Multiplier]:
    """Return the multipliers of 64-bit sums; a scaled sum must fit into 32 bits."""
    reaches = accumulator_reaches(node, channel_dimension)
    reals = _channel_factors(node)
    shared = reals * len(reaches) if len(reals) == 1 else reals
    found = [node.wide_multiplier(real, reach) for reach, real in zip(reaches, shared, strict=True)]
    return found[: len(reals)]


def _channel_factors(node: Node) -> list[float]:
    quantization = node.input(_WEIGHTS).quantization
    if quantization is None:
        node.malformed("the weights have no scales")
    source = node.quantization(node.input(0)).scale
    target = node.quantization(node.output).scale
    return [source * scale / target for scale in quantization.scales]


def accumulator_reaches(node: Node, channel_dimension: int) -> list[int]:
    """Return the largest magnitude of each channel's accumulator, over all inputs."""
    weights = np.moveaxis(node.constant(_WEIGHTS), channel_dimension, 0).astype(np.int64)
    weights = weights - weights_zero_point(node)
    rows = weights.reshape(weights.shape[0], -1)
    lowest, highest = node.input(0).type.range
    zero_point = node.quantization(node.input(0)).zero_point
    above, below = highest - zero_point, zero_point - lowest
    positive, negative = rows.clip(min=0).sum(1), (-rows).clip(min=0).sum(1)
    bias = node.constant(_BIAS).reshape(-1).astype(np.int64) if node.has(_BIAS) else 0
    largest = positive * above + negative * below + bias
    smallest = positive * below + negative * above - bias
    return np.maximum(np.maximum(largest, smallest), 0).tolist()
