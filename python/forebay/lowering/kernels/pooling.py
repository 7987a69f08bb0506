"""Lower pooling: the window is clamped at the border, so padding is not stored or counted."""

from __future__ import annotations

import numpy as np
from mlir import ir
from mlir.dialects import arith

from forebay.ir.fused import AveragePool, MaxPool, shape_of
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.convolution import window_index
from forebay.lowering.kernels.reduce import (
    KernelDomain,
    ReduceKernel,
    ReduceOperand,
    Scalars,
    affine_dimensions,
    build_reduce,
)
from forebay.lowering.kernels.requantise import factor_operands, finish


def lower_average_pool(pool: AveragePool) -> ir.Value:
    """Divide the sum by the number of elements inside; integers round halves away from zero.

    TOSA multiplies by a 31-bit reciprocal instead. The results are the same for all sums of windows
    of up to 2**14 elements of 8 bits, and for all larger windows that were tried.
    """
    element = _element(pool)
    is_float = isinstance(element, ir.FloatType)

    def init(_: Scalars) -> Scalars:
        return [scalar.scalar_constant(0, element if is_float else scalar.i32())]

    def body(accumulators: Scalars, ins: Scalars) -> Scalars:
        value = ins[0]
        if not is_float:
            value = scalar.add_constant(scalar.widen(value), -pool.source_zero_point)
        return [scalar.add(accumulators[0], value)]

    def mean(accumulators: Scalars, count: ir.Value) -> ir.Value:
        if is_float:
            return scalar.divide(accumulators[0], arith.SIToFPOp(element, count).result)
        return _integer_mean(pool, accumulators[0], count, ir.IntegerType(element))

    def end(accumulators: Scalars, count: ir.Value, params: Scalars) -> ir.Value:
        return finish(pool.epilogue, mean(accumulators, count), params)

    return _lower_pool(pool, ReduceKernel(init, body, end))


def lower_max_pool(pool: MaxPool) -> ir.Value:
    """Compute the largest element of each window."""
    element = _element(pool)

    def init(_: Scalars) -> Scalars:
        return [scalar.scalar_constant(lowest_value(element), element)]

    def body(accumulators: Scalars, ins: Scalars) -> Scalars:
        return [scalar.at_least(accumulators[0], ins[0], ignores_nan=pool.ignores_nan)]

    def end(accumulators: Scalars, _: ir.Value, params: Scalars) -> ir.Value:
        return finish(pool.epilogue, accumulators[0], params)

    return _lower_pool(pool, ReduceKernel(init, body, end))


def lowest_value(element: ir.Type) -> float:
    """Return the smallest finite number of a type."""
    if isinstance(element, ir.FloatType):
        return float(np.finfo(np.float32).min)
    return -(2 ** (ir.IntegerType(element).width - 1))


def _lower_pool(pool: AveragePool | MaxPool, kernel: ReduceKernel) -> ir.Value:
    n, y, x, c, ky, kx = affine_dimensions(6)
    rows, columns = window_index(pool.window, (y, x), (ky, kx))
    return build_reduce(
        KernelDomain(shape_of(pool.result), pool.window.kernel),
        kernel,
        ins=[ReduceOperand(pool.source, (n, rows, columns, c))],
        params=factor_operands(pool.epilogue, c),
        out=(n, y, x, c),
        result=ir.RankedTensorType(pool.result.type),
    )


def _integer_mean(
    pool: AveragePool, total: ir.Value, count: ir.Value, element: ir.IntegerType
) -> ir.Value:
    """Return `total / count` with halves away from zero, plus the zero point of the result."""
    zero, two = scalar.scalar_constant(0, scalar.i32()), scalar.scalar_constant(2, scalar.i32())
    half = scalar.divide(count, two)
    positive = arith.CmpIOp(arith.CmpIPredicate.sgt, total, zero).result
    away = arith.SelectOp(positive, scalar.add(total, half), scalar.subtract(total, half)).result
    mean = scalar.add_constant(scalar.divide(away, count), pool.output_zero_point)
    if pool.source_zero_point != pool.output_zero_point:
        mean = scalar.clamp(mean, lowest_value(element), -lowest_value(element) - 1)
    return scalar.narrow(mean, element)


def _element(pool: AveragePool | MaxPool) -> ir.Type:
    return ir.RankedTensorType(pool.source.type).element_type
