"""Fully connected layers of float32 data with int8 weights, quantised at run time.

    largest = max(|x|)                                          [rows] f32
    stored  = round(x * (127 / largest))                        [rows, depth] i8
    out     = bias + sum(stored * weights) * (largest / 127 * scale)

Each row has its own factor, so that a row is the same in every batch. A row of zeros has factor 1.
Source: LiteRT `fully_connected.cc` (`EvalHybridImpl`), `portable_tensor_utils.cc`
(`PortableSymmetricQuantizeFloats`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.dialects import arith
from mlir.dialects import math as mathlib
from numpy.typing import NDArray

from forebay.frontends.elementwise import map_elements
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.weights import bias_elements
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

_LARGEST = 127.0


def lower_hybrid_rows(node: Node, value: ir.Value, weights: NDArray[np.generic]) -> ir.Value:
    """Build `[rows, channels]` from `[rows, depth]` and weights `[channels, depth]`."""
    rows, depth = emit.static_shape_of(value)
    channels = len(weights)
    largest = reduce_rows("largest", value, 0.0, _larger)
    column = emit.tosa_reshape(largest, (rows, 1))
    stored = map_elements([value, column], (rows, depth), emit.signless(8), symmetric_value)
    with node.constant_location(1):
        filters = emit.tosa_constant(weights)
    n, c, k = affine_dimensions(3)
    params = [ReduceOperand(largest, (n,)), _scales(node, channels, c)]
    bias = bias_elements(node, channels)
    if bias is not None:
        params.append(ReduceOperand(emit.tosa_constant(bias), (c,)))
    return build_reduce(
        KernelDomain((rows, channels), (depth,)),
        ReduceKernel(_zero, _accumulated, _finished),
        ins=[ReduceOperand(stored, (n, k)), ReduceOperand(filters, (c, k))],
        params=params,
        out=(n, c),
        result=emit.tensor_type((rows, channels), ir.F32Type.get()),
    )


def _scales(node: Node, channels: int, channel: ir.AffineExpr) -> ReduceOperand:
    quantization = node.input(1).quantization
    scales = quantization.scales if quantization else ()
    if len(scales) not in (1, channels):
        node.malformed(f"the weights have {len(scales)} scales")
    index = channel if len(scales) > 1 else ir.AffineExpr.get_constant(0)
    return ReduceOperand(emit.tosa_constant(np.array(scales, np.float32)), (index,))


def _larger(largest: ir.Value, x: ir.Value) -> ir.Value:
    return scalar.at_least(largest, mathlib.AbsFOp(x).result)


def symmetric_value(ins: Sequence[ir.Value]) -> ir.Value:
    """Return the int8 value of an element, from it and the largest magnitude of its row."""
    x, largest = ins
    inverse = scalar.divide(_f32(_LARGEST), _or_one(largest))
    rounded = mathlib.RoundOp(scalar.multiply(x, inverse)).result
    limited = scalar.clamp(rounded, -_LARGEST, _LARGEST)
    return scalar.narrow(arith.FPToSIOp(scalar.i32(), limited).result, emit.signless(8))


def _zero(_: Scalars) -> Scalars:
    return [scalar.scalar_constant(0, scalar.i32())]


def _accumulated(sums: Scalars, ins: Scalars) -> Scalars:
    return [scalar.add(sums[0], scalar.multiply(*(scalar.widen(x) for x in ins)))]


def _finished(sums: Scalars, _: ir.Value, params: Scalars) -> ir.Value:
    largest, scale, *bias = params
    factor = scalar.multiply(symmetric_factor(largest), scale)
    value = scalar.multiply(arith.SIToFPOp(ir.F32Type.get(), sums[0]).result, factor)
    return scalar.add(bias[0], value) if bias else value


def symmetric_factor(largest: ir.Value) -> ir.Value:
    """Return what the int8 values of a row are multiplied by; 1 for a row of zeros."""
    is_zero = arith.CmpFOp(arith.CmpFPredicate.OEQ, largest, _f32(0.0)).result
    range_ = scalar.divide(largest, _f32(_LARGEST))
    return arith.SelectOp(is_zero, _f32(1.0), range_).result


def _or_one(value: ir.Value) -> ir.Value:
    is_zero = arith.CmpFOp(arith.CmpFPredicate.OEQ, value, _f32(0.0)).result
    return arith.SelectOp(is_zero, _f32(1.0), value).result


def _f32(value: float) -> ir.Value:
    return scalar.scalar_constant(value, ir.F32Type.get())
