"""Conv: `conv2d` or `depthwise_conv2d` on channels last, and a rescaling for integers.

Weights are O I H W in ONNX. A convolution with groups is one convolution per group, of slices.
One over three spatial dimensions is one `accel.reduce`, in which the group is a dimension.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.dialects import tosa
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from forebay.frontends import tosa as emit
from forebay.frontends.elementwise import map_elements
from forebay.frontends.onnx.lowering.layout import LaidOut
from forebay.frontends.onnx.lowering.node import OnnxNode, stored_elements
from forebay.frontends.onnx.lowering.products import (
    Bias,
    accumulator_of,
    finished_sums,
    onnx_bias,
    products_kernel,
    stored_zero_points,
)
from forebay.frontends.onnx.lowering.registry import document_onnx, onnx_operator
from forebay.frontends.onnx.lowering.window import as_image, covered_image, window_axes
from forebay.frontends.windows import SlidingWindow, WindowAxis
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.reduce import (
    KernelDomain,
    ReduceOperand,
    affine_dimensions,
    build_reduce,
)

document_onnx(
    "Conv",
    "QLinearConv",
    types="int8, uint8, float32",
    limits="constant weights",
    golden="bits of QLinearConv; QDQ: exact sums and factors, halves to even",
)

_Convolution = type[tosa.Conv2DOp] | type[tosa.DepthwiseConv2DOp]


@onnx_operator("Conv")
def conv(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower a convolution."""
    integer = node.target is not None
    if not integer:
        node.expect_floats(0, 1, 2)
    weights = node.constant(1)
    if weights.ndim < 3 or len(node.shape(0)) != weights.ndim:
        node.malformed(f"weights of shape {list(weights.shape)} on {list(node.shape(0))}")
    channels, depth = weights.shape[:2]
    groups = int(node.attribute("group", 1))
    if groups < 1 or depth * groups != node.shape(0)[1] or channels % groups:
        node.malformed(f"weights of shape {list(weights.shape)} in {groups} groups")
    axes = window_axes(node, weights.shape[2:])
    per_channel = np.ascontiguousarray(np.moveaxis(stored_elements(weights), 1, -1))
    bias = onnx_bias(node, channels)
    build = _image if len(axes) <= 2 else _volume
    sums = build(node, axes, per_channel, bias)
    return [LaidOut(finished_sums(node, sums, weights.reshape(channels, -1), bias), last=True)]


def _image(
    node: OnnxNode, axes: Sequence[WindowAxis], weights: NDArray[np.generic], bias: Bias
) -> ir.Value:
    """Build the sums over one or two spatial dimensions, of weights with their depth last."""
    windows = as_image(axes)
    ohwi = weights if weights.ndim == 4 else weights[:, None]
    layer = _Layer(windows, ohwi, bias)
    sums = _grouped(node, covered_image(node, windows), layer, int(node.attribute("group", 1)))
    shape = emit.static_shape_of(sums)
    return sums if len(axes) == 2 else emit.tosa_reshape(sums, (shape[0], *shape[2:]))


def _volume(
    node: OnnxNode, axes: Sequence[WindowAxis], weights: NDArray[np.generic], bias: Bias
) -> ir.Value:
    """Build the sums over any number of spatial dimensions."""
    count, groups = len(axes), int(node.attribute("group", 1))
    channels, *kernel, depth = weights.shape
    n, *dims = affine_dimensions(2 * count + 4)
    outer, (g, m), inner, k = dims[:count], dims[count : count + 2], dims[count + 2 : -1], dims[-1]
    at = [axis.position(o, i) for axis, o, i in zip(axes, outer, inner, strict=True)]
    image = node.operand(0).channels_last()
    members = channels // groups
    shape = (emit.static_shape_of(image)[0], *(axis.output for axis in axes), channels)
    sums = build_reduce(
        KernelDomain((*shape[:-1], groups, members), (*kernel, depth)),
        products_kernel(node),
        ins=[
            ReduceOperand(image, (n, *at, g * depth + k)),
            ReduceOperand(emit.tosa_constant(weights), (g * members + m, *inner, k)),
        ],
        params=[],
        out=(n, *outer, g * members + m),
        result=emit.tensor_type(shape, accumulator_of(node)),
    )
    if not bias.any():
        return sums
    operands = [sums, emit.tosa_constant(bias)]
    return map_elements(operands, shape, accumulator_of(node), lambda ins: scalar.add(*ins))


class _Layer(Struct, frozen=True, eq=False):
    """Windows, weights as O H W I or H W C M, and a bias for each channel of the result."""

    windows: SlidingWindow
    weights: NDArray[np.generic]
    bias: Bias


def _grouped(node: OnnxNode, image: ir.Value, layer: _Layer, groups: int) -> ir.Value:
    channels, height, width, depth = layer.weights.shape
    members = channels // groups
    if groups == 1:
        return _convolve(node, tosa.Conv2DOp, image, layer)
    if depth == 1:
        # The channel c * M + m of the result belongs to channel c of the input in both.
        split = layer.weights.reshape(groups, members, height, width)
        hwcm = replace(layer, weights=split.transpose(2, 3, 0, 1))
        return _convolve(node, tosa.DepthwiseConv2DOp, image, hwcm)
    shape = emit.static_shape_of(image)
    parts: list[ir.Value] = []
    for g in range(groups):
        part = emit.tosa_slice(image, (0, 0, 0, g * depth), (*shape[:3], depth))
        group = slice(g * members, (g + 1) * members)
        one = replace(layer, weights=layer.weights[group], bias=layer.bias[group])
        parts.append(_convolve(node, tosa.Conv2DOp, part, one))
    return emit.tosa_concat(parts, 3)


def _convolve(node: OnnxNode, op: _Convolution, image: ir.Value, layer: _Layer) -> ir.Value:
    element = emit.element_of(image)
    windows = layer.windows
    accumulator = emit.signless(32) if node.target is not None else ir.F32Type.get()
    batch, channels = emit.static_shape_of(image)[0], len(layer.bias)
    zero_points = stored_zero_points(node)
    return op(
        emit.tensor_type((batch, windows.y.output, windows.x.output, channels), accumulator),
        image,
        emit.tosa_constant(np.ascontiguousarray(layer.weights)),
        emit.tosa_constant(layer.bias),
        emit.tosa_zero_point(zero_points[0], element),
        emit.tosa_zero_point(zero_points[1], element),
        emit.array(windows.padding),
        emit.array(windows.stride),
        emit.array(windows.dilation),
        ir.TypeAttr.get(accumulator),
    ).result
