"""Sums of products with constant weights: their zero points, bias, and the finish of the sums."""

from __future__ import annotations

import numpy as np
from mlir import ir
from numpy.typing import NDArray

from forebay.frontends.onnx.lowering.node import OnnxNode
from forebay.frontends.onnx.lowering.rescale import (
    product_factors,
    reach_of,
    rescaled_to_target,
    stored_zero_point,
)

Bias = NDArray[np.generic]
_BIAS = 2


def stored_zero_points(node: OnnxNode) -> tuple[int, int]:
    """Return the zero points of operands 0 and 1 as they are stored; 0 for floats."""
    if node.target is None:
        return 0, 0
    return stored_zero_point(node.source(0)), stored_zero_point(node.source(1))


def onnx_bias(node: OnnxNode, channels: int) -> Bias:
    """Return operand 2, or zeros where it is absent."""
    dtype = np.float32 if node.target is None else np.int32
    if not node.has(_BIAS):
        return np.zeros(channels, dtype)
    bias = node.constant(_BIAS)
    if bias.size not in (1, channels) or bias.dtype != dtype:
        node.malformed(f"the bias has the shape {list(bias.shape)}, not [{channels}]")
    return np.ascontiguousarray(np.broadcast_to(bias.reshape(-1), channels))


def finished_sums(
    node: OnnxNode, sums: ir.Value, weights: NDArray[np.generic], bias: Bias
) -> ir.Value:
    """Return floats unchanged, and sums of integers rescaled; a row of weights per channel."""
    if node.target is None:
        return sums
    zero_point = int(node.source(1).zero_point.reshape(-1)[0])
    centred = weights.astype(np.int64) - zero_point
    reaches = reach_of(centred, node.source(0), bias)
    return rescaled_to_target(node, sums, product_factors(node), reaches)
