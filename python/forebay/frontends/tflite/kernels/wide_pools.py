"""AVERAGE_POOL_2D and MAX_POOL_2D of int16, which TOSA averages in 32 bits only for int8, and
L2_POOL_2D.

Means round halves away from zero. Each is one `accel.reduce`.
Source: TFLite `reference/integer_ops/pooling.h`.
"""

from __future__ import annotations

from collections.abc import Callable

from mlir import ir
from mlir.dialects import arith
from mlir.dialects import math as mathlib

from forebay.frontends.tflite.kernels.scaled import is_negative
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.activation import activation_bounds
from forebay.frontends.tflite.lowering.node import Node
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


def wide_average(node: Node, windows: SlidingWindow, activation: int) -> ir.Value:
    """Build the mean of the elements of each window that are inside of the input."""
    return _pool(node, windows, activation, start=0, combine=scalar.add, end=_mean)


def wide_maximum(node: Node, windows: SlidingWindow, activation: int) -> ir.Value:
    """Build the largest element of each window."""
    return _pool(
        node, windows, activation, start=-(1 << 15), combine=_larger, end=lambda value, _: value
    )


def root_mean_square(node: Node, windows: SlidingWindow) -> ir.Value:
    """Build the root of the mean of the squares of the floats that are inside of the input."""
    batch, _, _, channels = node.shape(0)
    shape = (batch, windows.y.output, windows.x.output, channels)
    f32 = ir.F32Type.get()
    n, y, x, c, ky, kx = affine_dimensions(6)

    def finish(sums: Scalars, count: ir.Value, _: Scalars) -> ir.Value:
        number = arith.SIToFPOp(f32, count).result
        return mathlib.SqrtOp(scalar.divide(sums[0], number)).result

    return build_reduce(
        KernelDomain(shape, (windows.y.kernel, windows.x.kernel)),
        ReduceKernel(
            lambda _: [scalar.scalar_constant(0, f32)],
            lambda sums, ins: [scalar.add(sums[0], scalar.multiply(ins[0], ins[0]))],
            finish,
        ),
        ins=[
            ReduceOperand(
                node.value(0), (n, windows.y.position(y, ky), windows.x.position(x, kx), c)
            )
        ],
        params=[],
        out=(n, y, x, c),
        result=emit.tensor_type(shape, f32),
    )


def _larger(a: ir.Value, b: ir.Value) -> ir.Value:
    return scalar.at_least(a, b)


def _pool(
    node: Node,
    windows: SlidingWindow,
    activation: int,
    *,
    start: int,
    combine: Callable[[ir.Value, ir.Value], ir.Value],
    end: Callable[[ir.Value, ir.Value], ir.Value],
) -> ir.Value:
    batch, _, _, channels = node.shape(0)
    shape = (batch, windows.y.output, windows.x.output, channels)
    bounds = activation_bounds(node, activation)
    n, y, x, c, ky, kx = affine_dimensions(6)

    def finish(values: Scalars, count: ir.Value, _: Scalars) -> ir.Value:
        value = end(values[0], count)
        return scalar.narrow(scalar.clamp(value, *bounds) if bounds else value, emit.signless(16))

    index = (n, windows.y.position(y, ky), windows.x.position(x, kx), c)
    return build_reduce(
        KernelDomain(shape, (windows.y.kernel, windows.x.kernel)),
        ReduceKernel(
            lambda _: [scalar.scalar_constant(start, scalar.i32())],
            lambda values, ins: [combine(values[0], scalar.widen(ins[0]))],
            finish,
        ),
        ins=[ReduceOperand(node.value(0), index)],
        params=[],
        out=(n, y, x, c),
        result=emit.tensor_type(shape, emit.signless(16)),
    )


def _mean(total: ir.Value, count: ir.Value) -> ir.Value:
    half = scalar.divide(count, scalar.scalar_constant(2, scalar.i32()))
    below, above = scalar.subtract(total, half), scalar.add(total, half)
    nudged = arith.SelectOp(is_negative(total), below, above).result
    return scalar.divide(nudged, count)
