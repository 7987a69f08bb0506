"""Convolutions as `accel.reduce`: with groups, on int16, and transposed on int16.

The index maps are those of `forebay.lowering.kernels.convolution`; a group is one more dimension,
so no operand is cut. A window is clamped at the borders, so padding needs no copy.
"""

from __future__ import annotations

import math

import numpy as np
from mlir import ir
from msgspec.structs import replace
from numpy.typing import NDArray

from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.kernels.accumulate import Product, sum_of_products
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.quantize import Multiplier
from forebay.frontends.tflite.lowering.weights import (
    accumulator_reaches,
    bias_elements,
    channel_multipliers,
    sums_are_wide,
    weights_zero_point,
    wide_channel_multipliers,
)
from forebay.frontends.windows import SlidingWindow
from forebay.lowering.kernels.reduce import KernelDomain, ReduceOperand, affine_dimensions


def lower_grouped(
    node: Node,
    windows: SlidingWindow,
    weights: NDArray[np.generic],
    groups: int,
    activation: int,
) -> ir.Value:
    """Build `out[n, y, x, g*M + m] = sum(in[n, window, g*K + k] * weights[g*M + m, ky, kx, k])`."""
    value = _constant(node, weights)
    domain, source, filters, out = _grouped(node, windows, value, groups)
    product = _weighted(
        node, domain, source, filters, channel=out[-1], out=out, channel_dimension=0
    )
    return sum_of_products(node, product, _shape(node, windows, len(weights)), activation)


def lower_grouped_at_run_time(
    node: Node, windows: SlidingWindow, groups: int, activation: int
) -> ir.Value:
    """Build the sums of `lower_grouped`, whose weights are a result."""
    channels, *window = node.shape(1)
    domain, source, filters, out = _grouped(node, windows, node.value(1), groups)
    product = Product(domain, source, filters, out[-1], out, bias=bias_elements(node, channels))
    product = _scaled_by_tensors(node, product, math.prod(window))
    return sum_of_products(node, product, _shape(node, windows, channels), activation)


def _shape(node: Node, windows: SlidingWindow, channels: int) -> emit.Shape:
    return (node.shape(0)[0], windows.y.output, windows.x.output, channels)


def _grouped(
    node: Node, windows: SlidingWindow, weights: ir.Value, groups: int
) -> tuple[KernelDomain, ReduceOperand, ReduceOperand, tuple[ir.AffineExpr, ...]]:
    """Return the points, the elements of both operands, and that of the result."""
    channels, height, width, depth = emit.static_shape_of(weights)
    members = channels // groups
    n, y, x, g, m, ky, kx, k = affine_dimensions(8)
    channel = g * members + m
    rows, columns = windows.y.position(y, ky), windows.x.position(x, kx)
    return (
        KernelDomain(
            (*_shape(node, windows, channels)[:3], groups, members), (height, width, depth)
        ),
        ReduceOperand(node.value(0), (n, rows, columns, g * depth + k)),
        ReduceOperand(weights, (channel, ky, kx, k)),
        (n, y, x, channel),
    )


def lower_depthwise_sums(
    node: Node, windows: SlidingWindow, weights: NDArray[np.generic], activation: int
) -> ir.Value:
    """Build `out[n, y, x, c*M + m] = sum(in[n, window, c] * weights[ky, kx, c, m])`."""
    height, width, depth, multiplier = weights.shape
    shape = (node.shape(0)[0], windows.y.output, windows.x.output, depth * multiplier)
    n, y, x, c, m, ky, kx = affine_dimensions(7)
    channel = c * multiplier + m
    rows, columns = windows.y.position(y, ky), windows.x.position(x, kx)
    domain = KernelDomain((*shape[:3], depth, multiplier), (height, width))
    return sum_of_products(
        node,
        _weighted(
            node,
            domain,
            ReduceOperand(node.value(0), (n, rows, columns, c)),
            ReduceOperand(_constant(node, weights), (ky, kx, c, m)),
            channel=channel,
            out=(n, y, x, channel),
            channel_dimension=3,
        ),
        shape,
        activation,
    )


def lower_transposed(
    node: Node,
    weights: NDArray[np.generic],
    stride: tuple[int, int],
    before: tuple[int, int],
    *,
    shape: emit.Shape,
    activation: int,
) -> ir.Value:
    """Gather: input row `iy` adds to row `y` through weights row `y - before - iy * stride`."""
    _, height, width, depth = node.shape(0)
    n, y, x, c, iy, ix, k = affine_dimensions(7)
    rows, columns = y - before[0] - iy * stride[0], x - before[1] - ix * stride[1]
    product = _weighted(
        node,
        KernelDomain(shape, (height, width, depth)),
        ReduceOperand(node.value(0), (n, iy, ix, k)),
        ReduceOperand(_constant(node, weights), (c, rows, columns, k)),
        channel=c,
        out=(n, y, x, c),
        channel_dimension=0,
    )
    return sum_of_products(node, product, shape, activation)


def lower_rows(
    node: Node, value: ir.Value, weights: NDArray[np.generic], activation: int
) -> ir.Value:
    """Build `out[n, c] = sum(in[n, k] * weights[c, k])`."""
    rows, depth = emit.static_shape_of(value)
    channels = len(weights)
    n, c, k = affine_dimensions(3)
    product = _weighted(
        node,
        KernelDomain((rows, channels), (depth,)),
        ReduceOperand(value, (n, k)),
        ReduceOperand(_constant(node, weights), (c, k)),
        channel=c,
        out=(n, c),
        channel_dimension=0,
    )
    return sum_of_products(node, product, (rows, channels), activation)


def lower_rows_at_run_time(node: Node, value: ir.Value, activation: int) -> ir.Value:
    """Build `out[n, c] = sum(in[n, k] * weights[c, k])`, whose weights are a result."""
    rows, depth = emit.static_shape_of(value)
    channels = node.shape(1)[-2]
    n, c, k = affine_dimensions(3)
    product = Product(
        KernelDomain((rows, channels), (depth,)),
        ReduceOperand(value, (n, k)),
        ReduceOperand(emit.tosa_reshape(node.value(1), (channels, depth)), (c, k)),
        channel=c,
        out=(n, c),
        bias=bias_elements(node, channels),
    )
    product = _scaled_by_tensors(node, product, depth)
    return sum_of_products(node, product, (rows, channels), activation)


def _scaled_by_tensors(node: Node, product: Product, depth: int) -> Product:
    """Return the product with zero points and the factor, where both operands are activations."""
    if node.output.type is ElementType.FLOAT32:
        return product
    a, b = (node.quantization(node.input(i)) for i in (0, 1))
    zero_points = (a.zero_point, b.zero_point)
    largest = [
        max(abs(limit - zero) for limit in node.input(i).type.range)
        for i, zero in enumerate(zero_points)
    ]
    bias = 0 if product.bias is None else int(np.abs(product.bias.astype(np.int64)).max())
    reach = depth * largest[0] * largest[1] + bias
    real = a.scale * b.scale / node.quantization(node.output).scale
    wide = sums_are_wide(node)
    factor = node.wide_multiplier(real, reach) if wide else node.multiplier(real, reach=reach)
    return replace(product, zero_points=zero_points, factors=[factor], wide=wide, reach=reach)


def _constant(node: Node, weights: NDArray[np.generic]) -> ir.Value:
    with node.constant_location(1):
        return emit.tosa_constant(weights)


def _weighted(
    node: Node,
    domain: KernelDomain,
    source: ReduceOperand,
    weights: ReduceOperand,
    *,
    channel: ir.AffineExpr,
    out: tuple[ir.AffineExpr, ...],
    channel_dimension: int,
) -> Product:
    channels = node.shape(1)[channel_dimension]
    bias = bias_elements(node, channels)
    if node.output.type is ElementType.FLOAT32:
        return Product(domain, source, weights, channel, out, bias=bias)
    wide = sums_are_wide(node)
    factors: list[Multiplier] = (wide_channel_multipliers if wide else channel_multipliers)(
        node, channel_dimension
    )
    zero_points = (node.quantization(node.input(0)).zero_point, weights_zero_point(node))
    reach = max(accumulator_reaches(node, channel_dimension)) if wide else 0
    return Product(domain, source, weights, channel, out, zero_points, bias, factors, wide, reach)
