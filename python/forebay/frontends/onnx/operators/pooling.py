"""MaxPool, AveragePool, GlobalAveragePool, GlobalMaxPool, and means over axes.

MaxPool               `max_pool2d`, also of stored integers
AveragePool           float32: `avg_pool2d`; integers: one `accel.reduce` of sums, rescaled
                      with dilations or three spatial dimensions, both are one `accel.reduce`
GlobalAveragePool     a mean over all spatial dimensions
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import partial

import numpy as np
from mlir import ir
from mlir.dialects import arith, tosa
from numpy.typing import NDArray

from forebay.frontends import tosa as emit
from forebay.frontends.elementwise import map_elements
from forebay.frontends.onnx.lowering.layout import LaidOut
from forebay.frontends.onnx.lowering.node import OnnxNode
from forebay.frontends.onnx.lowering.reduce_axes import reduce_axes, reduced_axes
from forebay.frontends.onnx.lowering.registry import document_onnx, onnx_operator
from forebay.frontends.onnx.lowering.rescale import rescaled_to_target, stored_zero_point
from forebay.frontends.onnx.lowering.window import (
    as_image,
    covered_image,
    reduce_windows,
    window_axes,
)
from forebay.frontends.windows import SlidingWindow, WindowAxis
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.pooling import lowest_value
from forebay.lowering.kernels.reduce import (
    KernelDomain,
    ReduceKernel,
    ReduceOperand,
    Scalars,
    affine_dimensions,
    build_reduce,
    sum_kernel,
)

document_onnx(
    *("AveragePool", "GlobalAveragePool", "ReduceMean"),
    *("QLinearAveragePool", "QLinearGlobalAveragePool"),
    types="int8, uint8, float32",
    limits="AveragePool of integers by float32 where padding is not counted",
    golden="integers: exact means, halves to even; float32: 1e-6",
)
document_onnx(
    "MaxPool",
    "GlobalMaxPool",
    types="int8, uint8, float32",
    limits="one result",
    golden="bits",
)


@onnx_operator("MaxPool")
def max_pool(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower the maximum of each window."""
    if len(node.operator.outputs) > 1 and node.operator.outputs[1]:
        node.refuse("indices as a result", "remove the second result")
    axes = _windows(node)
    if not _is_image(axes):
        value = node.operand(0).channels_last()
        kernel = _maximum(emit.element_of(value))
        return [LaidOut(reduce_windows(value, axes, kernel, emit.element_of(value)), last=True)]
    windows = as_image(axes)
    image = covered_image(node, windows)
    pooled = tosa.MaxPool2dOp(
        _pooled_type(image, windows),
        image,
        emit.array(windows.kernel),
        emit.array(windows.stride),
        emit.array(windows.padding),
    ).result
    return [_result(node, pooled)]


@onnx_operator("AveragePool")
def average_pool(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower the mean of each window."""
    axes = _windows(node)
    if node.target is not None:
        value = node.operand(0).channels_last()
        sums = reduce_windows(value, axes, _sum_of_centred(node), scalar.i32())
        count = math.prod(axis.kernel for axis in axes)
        return [LaidOut(_mean(node, sums, count), last=True)]
    node.expect_floats(0)
    counts_padding = bool(node.attribute("count_include_pad", 0))
    if not _is_image(axes):
        return [_float_means(node, axes, counts_padding=counts_padding)]
    windows = as_image(axes)
    image = covered_image(node, windows)
    if any(windows.padding) and counts_padding:
        image = _zero_padded(image, windows.padding)
    pooled = tosa.AvgPool2dOp(
        _pooled_type(image, windows),
        image,
        emit.tosa_zero_point(0, ir.F32Type.get()),
        emit.tosa_zero_point(0, ir.F32Type.get()),
        emit.array(windows.kernel),
        emit.array(windows.stride),
        emit.array([0, 0, 0, 0] if counts_padding else windows.padding),
        ir.TypeAttr.get(ir.F32Type.get()),
    ).result
    return [_result(node, pooled)]


@onnx_operator("GlobalAveragePool")
def global_average_pool(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower the mean over all spatial dimensions, which stay with size 1."""
    value = _image(node)
    rank = len(emit.static_shape_of(value))
    return [LaidOut(_reduced_mean(node, value, list(range(1, rank - 1))), last=True)]


@onnx_operator("GlobalMaxPool")
def global_max_pool(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower the maximum over all spatial dimensions, which stay with size 1."""
    value = _image(node)
    for axis in range(1, len(emit.static_shape_of(value)) - 1):
        value = tosa.ReduceMaxOp(value, axis).result
    return [LaidOut(value, last=True)]


@onnx_operator("ReduceMean")
def reduce_mean(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower the mean over axes."""
    axes = reduced_axes(node)
    if not axes:
        return [node.operand(0)]
    return [reduce_axes(node, axes, partial(_reduced_mean, node))]


def _image(node: OnnxNode) -> ir.Value:
    if len(node.shape(0)) < 3:
        node.malformed(f"an operand of shape {list(node.shape(0))}, without spatial dimensions")
    return node.operand(0).channels_last()


def _reduced_mean(node: OnnxNode, value: ir.Value, axes: list[int]) -> ir.Value:
    """Build the mean over axes of the value, which stay with size 1."""
    shape = emit.static_shape_of(value)
    count = math.prod(shape[a] for a in axes)
    if node.target is not None:
        return _mean(node, _axis_sums(node, value, axes), count)
    node.expect_floats(0)
    for axis in axes:
        value = emit.tosa_reduce_sum(value, axis)
    shape = emit.static_shape_of(value)
    factor = emit.tosa_constant(np.full((1,) * len(shape), 1.0 / count, np.float32))
    return emit.tosa_multiply(value, factor, shape)


def _mean(node: OnnxNode, sums: ir.Value, count: int) -> ir.Value:
    """Build `sums * source scale / (count * target scale)`, as stored integers."""
    if node.target is None:
        node.malformed("it has no quantisation")
    source, target = (float(q.scale.reshape(-1)[0]) for q in (node.source(0), node.target))
    factor = Fraction(source) / (Fraction(target) * count)
    return rescaled_to_target(node, sums, [factor], [255 * count])


def _axis_sums(node: OnnxNode, value: ir.Value, axes: list[int]) -> ir.Value:
    shape = emit.static_shape_of(value)
    kept = [i for i in range(len(shape)) if i not in axes]
    dims = affine_dimensions(len(shape))
    index = [
        dims[kept.index(i)] if i in kept else dims[len(kept) + axes.index(i)]
        for i in range(len(shape))
    ]
    domain = KernelDomain(tuple(shape[i] for i in kept), tuple(shape[i] for i in axes))
    sums = _sums(node, value, domain, index)
    return emit.tosa_reshape(sums, [1 if i in axes else d for i, d in enumerate(shape)])


def _sums(
    node: OnnxNode, value: ir.Value, domain: KernelDomain, index: Sequence[ir.AffineExpr]
) -> ir.Value:
    return build_reduce(
        domain,
        _sum_of_centred(node),
        ins=[ReduceOperand(value, tuple(index))],
        params=[],
        out=affine_dimensions(len(domain.parallel)),
        result=emit.tensor_type(domain.parallel, scalar.i32()),
    )


def _sum_of_centred(node: OnnxNode) -> ReduceKernel:
    """Return the sum of the stored integers less the zero point."""
    zero_point = stored_zero_point(node.source(0))
    i32 = scalar.i32()

    def centred(ins: Scalars) -> ir.Value:
        return scalar.add_constant(arith.ExtSIOp(i32, ins[0]).result, -zero_point)

    return sum_kernel(i32, centred)


def _windows(node: OnnxNode) -> list[WindowAxis]:
    axes = window_axes(node, node.attribute("kernel_shape", []))
    if any(max(axis.padding) >= axis.extent and any(axis.padding) for axis in axes):
        node.refuse("padding as wide as the window", "pad less")
    return axes


def _is_image(axes: Sequence[WindowAxis]) -> bool:
    """Return whether TOSA's pools have such windows."""
    return len(axes) <= 2 and all(axis.dilation == 1 for axis in axes)


def _float_means(node: OnnxNode, axes: Sequence[WindowAxis], *, counts_padding: bool) -> LaidOut:
    """Build the sum of each window, and divide it by the number of elements that count."""
    f32 = ir.F32Type.get()
    value = node.operand(0).channels_last()
    sums = reduce_windows(value, axes, sum_kernel(f32, lambda ins: ins[0]), f32)
    counts = np.ones((), np.float32)
    for axis in axes:
        counts = np.multiply.outer(counts, _counted(axis, counts_padding=counts_padding))
    divisors = emit.tosa_constant(counts[..., None].astype(np.float32))
    shape = emit.static_shape_of(sums)
    return LaidOut(map_elements([sums, divisors], shape, f32, _quotient), last=True)


def _quotient(ins: Sequence[ir.Value]) -> ir.Value:
    return scalar.divide(*ins)


def _counted(axis: WindowAxis, *, counts_padding: bool) -> NDArray[np.generic]:
    """Return the number of positions of each window along an axis that its mean counts."""
    first = np.arange(axis.output)[:, None] * axis.stride - axis.before
    at = first + np.arange(axis.kernel) * axis.dilation
    before, after = (axis.before, axis.after) if counts_padding else (0, 0)
    return ((at >= -before) & (at < axis.size + after)).sum(1)


def _maximum(element: ir.Type) -> ReduceKernel:
    """Return the largest element."""
    lowest = -math.inf if isinstance(element, ir.FloatType) else lowest_value(element)
    return ReduceKernel(
        lambda _: [scalar.scalar_constant(lowest, element)],
        lambda largest, ins: [scalar.at_least(largest[0], ins[0])],
        lambda largest, _, __: largest[0],
    )


def _zero_padded(image: ir.Value, padding: Sequence[int]) -> ir.Value:
    top, bottom, left, right = padding
    n, h, w, c = emit.static_shape_of(image)
    shape = (n, h + top + bottom, w + left + right, c)
    amounts = emit.tosa_shape([0, 0, top, bottom, left, right, 0, 0])
    zero = emit.tosa_constant(np.zeros(1, np.float32))
    return tosa.PadOp(emit.tensor_type(shape, ir.F32Type.get()), image, amounts, zero).result


def _pooled_type(image: ir.Value, windows: SlidingWindow) -> ir.RankedTensorType:
    shape = emit.static_shape_of(image)
    result = (shape[0], windows.y.output, windows.x.output, shape[3])
    return emit.tensor_type(result, emit.element_of(image))


def _result(node: OnnxNode, value: ir.Value) -> LaidOut:
    if len(node.shape(0)) == 3:
        shape = emit.static_shape_of(value)
        value = emit.tosa_reshape(value, (shape[0], *shape[2:]))
    return LaidOut(value, last=True)
