"""Sums of products with constant weights: their zero points, bias, and the finish of the sums."""

from __future__ import annotations

import numpy as np
from mlir import ir
from mlir.dialects import arith, tosa
from numpy.typing import NDArray

from forebay.frontends import tosa as emit
from forebay.frontends.onnx.lowering.node import OnnxNode
from forebay.frontends.onnx.lowering.rescale import (
    product_factors,
    reach_of,
    rescaled_to_target,
    stored_zero_point,
)
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.reduce import ReduceKernel, Scalars, sum_kernel

Bias = NDArray[np.generic]
_BIAS = 2


def stored_zero_points(node: OnnxNode) -> tuple[int, int]:
    """Return the zero points of operands 0 and 1 as they are stored; 0 for floats."""
    if node.target is None:
        return 0, 0
    return stored_zero_point(node.source(0)), stored_zero_point(node.source(1))


def accumulator_of(node: OnnxNode) -> ir.Type:
    """Return the type of the sums of products."""
    return ir.F32Type.get() if node.target is None else emit.signless(32)


def products_kernel(node: OnnxNode) -> ReduceKernel:
    """Return the kernel that sums products of operands 0 and 1, less their zero points."""
    zero_points = stored_zero_points(node)
    accumulator = accumulator_of(node)

    def centred(value: ir.Value, zero_point: int) -> ir.Value:
        if node.target is None:
            return value
        return scalar.add_constant(arith.ExtSIOp(accumulator, value).result, -zero_point)

    def term(ins: Scalars) -> ir.Value:
        return scalar.multiply(*(centred(x, z) for x, z in zip(ins, zero_points, strict=True)))

    return sum_kernel(accumulator, term)


def multiply_rows(
    value: ir.Value, rows: NDArray[np.generic], bias: Bias, zero_points: tuple[int, int]
) -> ir.Value:
    """Build `x * rows^T + bias` of N x 1 x 1 x K, as a convolution of 1x1."""
    element = emit.element_of(value)
    accumulator = element if isinstance(element, ir.FloatType) else emit.signless(32)
    channels, depth = rows.shape
    return tosa.Conv2DOp(
        emit.tensor_type((*emit.static_shape_of(value)[:3], channels), accumulator),
        value,
        emit.tosa_constant(rows.reshape(channels, 1, 1, depth)),
        emit.tosa_constant(bias),
        emit.tosa_zero_point(zero_points[0], element),
        emit.tosa_zero_point(zero_points[1], element),
        emit.array([0, 0, 0, 0]),
        emit.array([1, 1]),
        emit.array([1, 1]),
        ir.TypeAttr.get(accumulator),
    ).result


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
