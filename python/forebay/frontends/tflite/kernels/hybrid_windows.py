"""Convolutions of float32 data with int8 weights, whose images are quantised at run time.

    low, high = min(0, min(x)), max(0, max(x))                  [images] f32
    factor    = (high - low) / 255                              [images] f32, computed in f64
    zero      = -128 - low / factor, rounded                    [images] i32, computed in f64
    stored    = round(zero + x / factor)                        [images, ...] i8
    out       = sum((stored - zero) * weights) * scale * factor + bias

An image of zeros has the factor 1. Weights with one scale for all channels have images that are
quantised symmetrically, as rows are in `hybrid.py`.
Source: LiteRT `conv.cc` and `depthwise_conv.cc` (`EvalHybridPerChannel`, `EvalHybrid`),
`portable_tensor_utils.cc` (`PortableAsymmetricQuantizeFloats`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.dialects import arith
from mlir.dialects import math as mathlib
from msgspec import Struct
from numpy.typing import NDArray

from forebay.frontends.elementwise import map_elements
from forebay.frontends.tflite.kernels.hybrid import symmetric_factor, symmetric_value
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
from forebay.lowering.kernels.rows import reduce_rows

_LOWEST, _HIGHEST = -128, 127


class _Images(Struct, frozen=True, eq=False):
    """Stored images, with a factor and, if they are asymmetric, a zero point for each."""

    stored: ir.Value
    factors: ir.Value
    zeros: ir.Value | None


class _Places(Struct, frozen=True):
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
    places = _Places(
        domain,
        (n, rows, columns, g * depth + k),
        (channel, ky, kx, k),
        channel,
        (n, y, x, channel),
    )
    return _lower(node, weights, places, channels, activation)


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
    places = _Places(domain, (n, rows, columns, c), (ky, kx, c, m), channel, (n, y, x, channel))
    return _lower(node, weights, places, depth * multiplier, activation)


def _lower(
    node: Node, weights: NDArray[np.generic], places: _Places, channels: int, activation: int
) -> ir.Value:
    scales = _scales(node, channels)
    is_symmetric = len(scales) < channels
    images = (_symmetric if is_symmetric else _asymmetric)(node.value(0))
    with node.constant_location(1):
        filters = emit.tosa_constant(weights)
    n, *_ = affine_dimensions(1)
    first = ir.AffineExpr.get_constant(0)
    ins = [ReduceOperand(images.stored, places.source), ReduceOperand(filters, places.weights)]
    if images.zeros is not None:
        ins.append(ReduceOperand(images.zeros, (n,)))
    params = [
        ReduceOperand(images.factors, (n,)),
        ReduceOperand(
            emit.tosa_constant(np.array(scales, np.float32)),
            (first if is_symmetric else places.channel,),
        ),
    ]
    bias = bias_elements(node, channels)
    if bias is not None:
        params.append(ReduceOperand(emit.tosa_constant(bias), (places.channel,)))
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

    shape = (*places.domain.parallel[:3], channels)
    return build_reduce(
        places.domain,
        ReduceKernel(_zero, _accumulated, finish),
        ins=ins,
        params=params,
        out=places.out,
        result=emit.tensor_type(shape, ir.F32Type.get()),
    )


def _scales(node: Node, channels: int) -> Sequence[float]:
    quantization = node.input(1).quantization
    scales = quantization.scales if quantization else ()
    if len(scales) not in (1, channels):
        node.malformed(f"the weights have {len(scales)} scales")
    if len(scales) < channels and node.operator.name == "DEPTHWISE_CONV_2D":
        node.refuse("weights of one scale with data of FLOAT32", "use one scale per channel")
    return scales


def _symmetric(value: ir.Value) -> _Images:
    rows, shape = _as_rows(value), emit.static_shape_of(value)
    largest = reduce_rows("largest", rows, 0.0, _larger_magnitude)
    column = emit.tosa_reshape(largest, (shape[0], *[1] * (len(shape) - 1)))
    stored = map_elements([value, column], shape, emit.signless(8), symmetric_value)
    factors = map_elements(
        [largest], shape[:1], ir.F32Type.get(), lambda ins: symmetric_factor(ins[0])
    )
    return _Images(stored, factors, None)


def _asymmetric(value: ir.Value) -> _Images:
    rows, shape = _as_rows(value), emit.static_shape_of(value)
    low = reduce_rows("lowest", rows, 0.0, scalar.at_most)
    high = reduce_rows("highest", rows, 0.0, scalar.at_least)
    factors = map_elements([low, high], shape[:1], ir.F32Type.get(), _factor)
    zeros = map_elements([low, high], shape[:1], scalar.i32(), _zero_point)
    ones = [1] * (len(shape) - 1)
    columns = [emit.tosa_reshape(t, (shape[0], *ones)) for t in (factors, zeros)]
    stored = map_elements([value, *columns], shape, emit.signless(8), _stored)
    return _Images(stored, factors, zeros)


def _as_rows(value: ir.Value) -> ir.Value:
    images, *rest = emit.static_shape_of(value)
    return emit.tosa_reshape(value, (images, math.prod(rest)))


def _larger_magnitude(largest: ir.Value, x: ir.Value) -> ir.Value:
    return scalar.at_least(largest, mathlib.AbsFOp(x).result)


def _factor(ins: Sequence[ir.Value]) -> ir.Value:
    low, high = ins
    narrowed = arith.TruncFOp(ir.F32Type.get(), _range(low, high)).result
    return arith.SelectOp(_are_equal(low, high), _number(1.0, narrowed.type), narrowed).result


def _zero_point(ins: Sequence[ir.Value]) -> ir.Value:
    """Return the zero point, from that bound of the two that gives the smaller error."""
    scale = _range(*ins)
    low, high = (scalar.divide(_wide(bound), scale) for bound in ins)
    kind = low.type
    below, above = (
        arith.SubFOp(_number(limit, kind), bound).result
        for limit, bound in ((_LOWEST, low), (_HIGHEST, high))
    )
    errors = [
        scalar.add(_number(abs(limit), kind), mathlib.AbsFOp(bound).result)
        for limit, bound in ((_LOWEST, low), (_HIGHEST, high))
    ]
    is_below = arith.CmpFOp(arith.CmpFPredicate.OLT, *errors).result
    exact = arith.SelectOp(is_below, below, above).result
    used = arith.SelectOp(_are_equal(*ins), _number(0, kind), exact).result
    limited = scalar.clamp(mathlib.RoundOp(used).result, _LOWEST, _HIGHEST)
    return arith.FPToSIOp(scalar.i32(), limited).result


def _stored(ins: Sequence[ir.Value]) -> ir.Value:
    x, factor, zero = ins
    f32 = ir.F32Type.get()
    wide = scalar.divide(_number(1.0, ir.F64Type.get()), _wide(factor))
    inverse = arith.TruncFOp(f32, wide).result
    offset = arith.SIToFPOp(f32, zero).result
    rounded = mathlib.RoundOp(scalar.add(offset, scalar.multiply(x, inverse))).result
    limited = scalar.clamp(rounded, _LOWEST, _HIGHEST)
    return scalar.narrow(arith.FPToSIOp(scalar.i32(), limited).result, emit.signless(8))


def _range(low: ir.Value, high: ir.Value) -> ir.Value:
    width = arith.SubFOp(_wide(high), _wide(low)).result
    return scalar.divide(width, _number(_HIGHEST - _LOWEST, width.type))


def _are_equal(low: ir.Value, high: ir.Value) -> ir.Value:
    return arith.CmpFOp(arith.CmpFPredicate.OEQ, low, high).result


def _wide(value: ir.Value) -> ir.Value:
    return arith.ExtFOp(ir.F64Type.get(), value).result


def _number(value: float, type_: ir.Type) -> ir.Value:
    return scalar.scalar_constant(float(value), type_)


def _zero(_: Scalars) -> Scalars:
    return [scalar.scalar_constant(0, scalar.i32())]


def _accumulated(sums: Scalars, ins: Scalars) -> Scalars:
    stored, weight, *zero = (scalar.widen(x) for x in ins)
    data = scalar.subtract(stored, zero[0]) if zero else stored
    return [scalar.add(sums[0], scalar.multiply(data, weight))]
