"""Convolutions of float32 data with int8 weights, whose images are quantised at run time.

    out = sum((stored - zero) * weights) * scale * factor + bias

An image is quantised as one asymmetric row (`quantised_rows.py`). Weights with one scale for all
channels have images that are quantised symmetrically.
Source: LiteRT `conv.cc` and `depthwise_conv.cc` (`EvalHybridPerChannel`, `EvalHybrid`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.dialects import arith
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from forebay.frontends.tflite.kernels.hybrid import add_product, start_at_zero
from forebay.frontends.tflite.kernels.quantised_rows import QuantisedRows, quantised_rows
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.activation import activation_bounds
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.weights import bias_elements
from forebay.frontends.windows import SlidingWindow
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.reduce import (
    KernelDomain,
    ReduceKernel,
    ReduceOperand,
    Scalars,
    affine_dimensions,
    build_reduce,
)


class _Indices(Struct, frozen=True):
    """The indices of the operands: dimension 0 of the domain counts the images."""

    domain: KernelDomain
    source: tuple[ir.AffineExpr, ...]
    weights: tuple[ir.AffineExpr, ...]
    channel: ir.AffineExpr
    out: tuple[ir.AffineExpr, ...]


def lower_hybrid_convolution(
    node: Node, windows: SlidingWindow, weights: NDArray[np.generic], groups: int, activation: int
) -> ir.Value:
    """Build the convolution with weights `[channels, height, width, depth of a group]`."""
    channels, height, width, depth = weights.shape
    members = channels // groups
    n, y, x, g, m, ky, kx, k = affine_dimensions(8)
    rows, columns = windows.y.position(y, ky), windows.x.position(x, kx)
    channel = g * members + m
    domain = KernelDomain(
        (node.shape(0)[0], windows.y.output, windows.x.output, groups, members),
        (height, width, depth),
    )
    indices = _Indices(
        domain,
        (n, rows, columns, g * depth + k),
        (channel, ky, kx, k),
        channel,
        (n, y, x, channel),
    )
    return _lower(node, weights, indices, channels, activation)


def lower_hybrid_depthwise(
    node: Node, windows: SlidingWindow, weights: NDArray[np.generic], activation: int
) -> ir.Value:
    """Build the depthwise convolution with weights `[height, width, depth, multiplier]`."""
    height, width, depth, multiplier = weights.shape
    n, y, x, c, m, ky, kx = affine_dimensions(7)
    rows, columns = windows.y.position(y, ky), windows.x.position(x, kx)
    channel = c * multiplier + m
    domain = KernelDomain(
        (node.shape(0)[0], windows.y.output, windows.x.output, depth, multiplier),
        (height, width),
    )
    indices = _Indices(domain, (n, rows, columns, c), (ky, kx, c, m), channel, (n, y, x, channel))
    return _lower(node, weights, indices, depth * multiplier, activation)


def _lower(
    node: Node, weights: NDArray[np.generic], indices: _Indices, channels: int, activation: int
) -> ir.Value:
    scales = _scales(node, channels)
    is_symmetric = len(scales) < channels
    images = _quantised_images(node.value(0), is_asymmetric=not is_symmetric)
    with node.constant_location(1):
        filters = emit.tosa_constant(weights)
    n, *_ = affine_dimensions(1)
    first = ir.AffineExpr.get_constant(0)
    ins = [ReduceOperand(images.stored, indices.source), ReduceOperand(filters, indices.weights)]
    if images.zeros is not None:
        ins.append(ReduceOperand(images.zeros, (n,)))
    params = [
        ReduceOperand(images.factors, (n,)),
        ReduceOperand(
            emit.tosa_constant(np.array(scales, np.float32)),
            (first if is_symmetric else indices.channel,),
        ),
    ]
    bias = bias_elements(node, channels)
    if bias is not None:
        params.append(ReduceOperand(emit.tosa_constant(bias), (indices.channel,)))
    bounds = activation_bounds(node, activation)

    def finish(sums: Scalars, _: ir.Value, given: Scalars) -> ir.Value:
        factor, scale, *added = given
        total = arith.SIToFPOp(ir.F32Type.get(), sums[0]).result
        if is_symmetric:
            value = scalar.multiply(total, scalar.multiply(factor, scale))
        else:
            value = scalar.multiply(scalar.multiply(total, scale), factor)
        value = scalar.add(value, added[0]) if added else value
        return scalar.clamp(value, *bounds) if bounds else value

    shape = (*indices.domain.parallel[:3], channels)
    return build_reduce(
        indices.domain,
        ReduceKernel(start_at_zero, add_product, finish),
        ins=ins,
        params=params,
        out=indices.out,
        result=emit.tensor_type(shape, ir.F32Type.get()),
    )


def _quantised_images(value: ir.Value, *, is_asymmetric: bool) -> QuantisedRows:
    """Return images of their own shape, each quantised as a row."""
    shape = emit.static_shape_of(value)
    rows = emit.tosa_reshape(value, (shape[0], math.prod(shape[1:])))
    images = quantised_rows(rows, is_asymmetric=is_asymmetric)
    return replace(images, stored=emit.tosa_reshape(images.stored, shape))


def _scales(node: Node, channels: int) -> Sequence[float]:
    quantization = node.input(1).quantization
    scales = quantization.scales if quantization else ()
    if len(scales) not in (1, channels):
        node.malformed(f"the weights have {len(scales)} scales")
    if len(scales) < channels and node.operator.name == "DEPTHWISE_CONV_2D":
        node.refuse("weights of one scale with data of FLOAT32", "use one scale per channel")
    return scales
