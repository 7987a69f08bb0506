"""Convolutions: multiply and accumulate over a clamped window, then bias, rescale and clamp.

Integer sums start at the bias, as in TOSA. Float sums start at 0.0 and add the bias last, in the
order of TFLite's reference kernels (ky, kx, channel), so that they round in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from forebay.ir.fused import Convolution, Depthwise, TransposeConvolution, shape_of
from forebay.ir.tosa_constants import is_zero
from forebay.ir.window import Window
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.reduce import (
    KernelDomain,
    ReduceKernel,
    ReduceOperand,
    Scalars,
    affine_dimensions,
    build_reduce,
    zero,
)
from forebay.lowering.kernels.requantise import factor_operands, finish
from forebay.lowering.kernels.reshape import lower_reshape

_Weighted = Convolution | Depthwise | TransposeConvolution


def lower_convolution(conv: Convolution) -> ir.Value:
    """Compute `out[n, y, x, c] = sum(source[n, window, k] * weights[c, ky, kx, k])`."""
    if conv.is_fully_connected:
        return _lower_fully_connected(conv)
    batch, height, width, channels = shape_of(conv.result)
    _, ky_extent, kx_extent, depth = shape_of(conv.weights)
    n, y, x, c, ky, kx, k = affine_dimensions(7)
    rows, columns = window_index(conv.window, (y, x), (ky, kx))
    return _multiply_accumulate(
        conv,
        KernelDomain((batch, height, width, channels), (ky_extent, kx_extent, depth)),
        ReduceOperand(conv.source, (n, rows, columns, k)),
        ReduceOperand(conv.weights, (c, ky, kx, k)),
        channel=c,
        out=(n, y, x, c),
    )


def _lower_fully_connected(conv: Convolution) -> ir.Value:
    """Compute `out[n, c] = sum(source[n, k] * weights[c, k])`, on tensors of rank 2."""
    batch, _, _, channels = shape_of(conv.result)
    depth = shape_of(conv.weights)[-1]
    n, c, k = affine_dimensions(3)
    out = _multiply_accumulate(
        conv,
        KernelDomain((batch, channels), (depth,)),
        ReduceOperand(lower_reshape(conv.source, (batch, depth)), (n, k)),
        ReduceOperand(lower_reshape(conv.weights, (channels, depth)), (c, k)),
        channel=c,
        out=(n, c),
        shape=(batch, channels),
    )
    return lower_reshape(out, shape_of(conv.result))


def lower_depthwise(conv: Depthwise) -> ir.Value:
    """Compute `out[n, y, x, c * M + m] = sum(source[n, window, c] * weights[ky, kx, c, m])`."""
    batch, height, width, _ = shape_of(conv.result)
    ky_extent, kx_extent, channels, multiplier = shape_of(conv.weights)
    n, y, x, c, m, ky, kx = affine_dimensions(7)
    rows, columns = window_index(conv.window, (y, x), (ky, kx))
    return _multiply_accumulate(
        conv,
        KernelDomain((batch, height, width, channels, multiplier), (ky_extent, kx_extent)),
        ReduceOperand(conv.source, (n, rows, columns, c)),
        ReduceOperand(conv.weights, (ky, kx, c, m)),
        channel=c * multiplier + m,
        out=(n, y, x, c * multiplier + m),
    )


def lower_transpose_convolution(conv: TransposeConvolution) -> ir.Value:
    """Gather: source row `iy` adds to row `y` through weights row `y - top - iy * stride`.

    The window is on the weights. The order of additions is that of TFLite's scattering loops.
    """
    batch, height, width, channels = shape_of(conv.result)
    _, source_height, source_width, depth = shape_of(conv.source)
    n, y, x, c, iy, ix, k = affine_dimensions(7)
    (stride_y, stride_x), (top, left) = conv.window.stride, conv.window.before
    return _multiply_accumulate(
        conv,
        KernelDomain((batch, height, width, channels), (source_height, source_width, depth)),
        ReduceOperand(conv.source, (n, iy, ix, k)),
        ReduceOperand(conv.weights, (c, y - top - iy * stride_y, x - left - ix * stride_x, k)),
        channel=c,
        out=(n, y, x, c),
    )


def window_index(
    window: Window, outer: Sequence[ir.AffineExpr], inner: Sequence[ir.AffineExpr]
) -> list[ir.AffineExpr]:
    """Return the row and column that the window at `outer` reads for its element `inner`."""
    return [
        outer[i] * window.stride[i] + inner[i] * window.dilation[i] - window.before[i]
        for i in (0, 1)
    ]


def _multiply_accumulate(
    conv: _Weighted,
    domain: KernelDomain,
    source: ReduceOperand,
    weights: ReduceOperand,
    *,
    channel: ir.AffineExpr,
    out: Sequence[ir.AffineExpr],
    shape: Sequence[int] | None = None,
) -> ir.Value:
    bias = _bias_operands(conv, channel)
    element = ir.RankedTensorType(conv.result.type).element_type
    result = ir.RankedTensorType.get(shape or shape_of(conv.result), element)
    is_float = isinstance(ir.RankedTensorType(conv.source.type).element_type, ir.FloatType)
    accumulator = ir.F32Type.get() if is_float else scalar.i32()

    def init(params: Scalars) -> Scalars:
        starts_at_bias = bias and not is_float
        return [params[0] if starts_at_bias else scalar.scalar_constant(0, accumulator)]

    def body(accumulators: Scalars, ins: Scalars) -> Scalars:
        factors = ins if is_float else _without_zero_points(conv, ins)
        return [scalar.add(accumulators[0], scalar.multiply(*factors))]

    def end(accumulators: Scalars, _: ir.Value, params: Scalars) -> ir.Value:
        value = accumulators[0]
        if bias and is_float:
            value = scalar.add(value, params[0])
        return finish(conv.epilogue, value, params[len(bias) :])

    params = [*bias, *factor_operands(conv.epilogue, channel)]
    return build_reduce(
        domain,
        ReduceKernel(init, body, end),
        ins=[source, weights],
        params=params,
        out=out,
        result=result,
    )


def _bias_operands(conv: _Weighted, channel: ir.AffineExpr) -> list[ReduceOperand]:
    if is_zero(conv.bias):
        return []
    return [ReduceOperand(conv.bias, (zero() if shape_of(conv.bias) == (1,) else channel,))]


def _without_zero_points(conv: _Weighted, ins: Scalars) -> Scalars:
    zero_points = (conv.source_zero_point, conv.weights_zero_point)
    return [
        scalar.add_constant(scalar.widen(value), -offset)
        for value, offset in zip(ins, zero_points, strict=True)
    ]
