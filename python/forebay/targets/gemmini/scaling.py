"""Layers for the device's own requantisation: one float32 factor for all channels.

    result = saturate(round(sum * scale)), halves to even

The machine has no zero point of results and no factor per channel, so both are moved into weights
and bias, which are rounded: with factors f(c), the largest of which is `scale`,

    weights(c) * f(c) / scale    and    bias(c) * f(c) / scale + zero point / scale
"""

from __future__ import annotations

import msgspec
import numpy as np

from forebay.targets.int32_convolution.layers import Layer


def can_scale(layer: Layer) -> bool:
    """Return whether the machine's saturation is the layer's activation."""
    requantisation = layer.requantisation
    return (requantisation.low, requantisation.high) == (-128, 127)


def with_one_factor(layer: Layer) -> tuple[Layer, np.float32]:
    """Return the layer with weights and bias for one factor, and the factor."""
    given = layer.requantisation
    factors = given.multipliers.astype(np.float64) / 2.0 ** given.shifts.astype(np.float64)
    scale = np.float32(factors.max())
    ratios = factors / np.float64(scale)
    weights = np.rint(layer.weights * ratios[:, None, None, None])
    weights = np.clip(weights, -128, 127).astype(np.int8)
    sums = layer.weights.astype(np.int64).sum(axis=(1, 2, 3))
    own_bias = layer.bias.astype(np.int64) + layer.border * sums
    bias = np.rint(own_bias * ratios + given.zero_point / np.float64(scale))
    bias -= layer.border * weights.astype(np.int64).sum(axis=(1, 2, 3))
    bias = np.clip(bias, -(2**31), 2**31 - 1).astype(np.int32)
    return msgspec.structs.replace(layer, weights=weights, bias=bias), scale
