"""Conv: `conv2d` or `depthwise_conv2d` on channels last, and a rescaling for integers.

Weights are O I H W in ONNX. A convolution with groups is one convolution per group, of slices.
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
from forebay.frontends.onnx.lowering.layout import LaidOut
from forebay.frontends.onnx.lowering.node import OnnxNode, stored_elements
from forebay.frontends.onnx.lowering.products import (
    Bias,
    finished_sums,
    onnx_bias,
    stored_zero_points,
)
from forebay.frontends.onnx.lowering.registry import document_onnx, onnx_operator
from forebay.frontends.onnx.lowering.window import covered_image, window_of
from forebay.frontends.windows import SlidingWindow

document_onnx(
    "Conv",
    "QLinearConv",
    types="int8, uint8, float32",
    limits="constant weights, one or two spatial dimensions",
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
    windows = window_of(node, weights.shape[2:])
    image = covered_image(node, windows)
    ohwi = np.moveaxis(stored_elements(weights), 1, -1)
    if ohwi.ndim == 3:
        ohwi = ohwi[:, None]
    bias = onnx_bias(node, channels)
    value = _grouped(node, image, _Layer(windows, ohwi, bias), groups)
    value = finished_sums(node, value, weights.reshape(channels, -1), bias)
    if weights.ndim == 3:
        shape = emit.static_shape_of(value)
        value = emit.tosa_reshape(value, (shape[0], *shape[2:]))
    return [LaidOut(value, last=True)]


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
        own = slice(g * members, (g + 1) * members)
        one = replace(layer, weights=layer.weights[own], bias=layer.bias[own])
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
