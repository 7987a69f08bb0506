"""CONV_2D and DEPTHWISE_CONV_2D.

    int8:    [slice] -> conv2d | depthwise_conv2d (i32, bias inside) -> rescale -> [clamp]
    float32: [slice] -> conv2d | depthwise_conv2d (f32, bias inside) -> [clamp]
    int16, groups, or weights computed at run time: accel.reduce, see `accumulate.py`
    float32 with int8 weights: see `hybrid_windows.py`

The slice cuts off rows and columns that no window reads (see `window.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.dialects import tosa
from numpy.typing import NDArray

from forebay.frontends.tflite.file.options import OperatorOptions, SchemaInt8, SchemaInt32
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.activation import activate
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import document, operator
from forebay.frontends.tflite.lowering.weights import (
    bias_of,
    channel_multipliers,
    check_weights,
    weights_zero_point,
)
from forebay.frontends.tflite.lowering.window import covered, window
from forebay.frontends.windows import SlidingWindow


class Conv2DOptions(OperatorOptions, frozen=True):
    """CONV_2D."""

    padding: SchemaInt8
    stride_w: SchemaInt32
    stride_h: SchemaInt32
    fused_activation_function: SchemaInt8
    dilation_w_factor: SchemaInt32 = 1
    dilation_h_factor: SchemaInt32 = 1


class DepthwiseConv2DOptions(OperatorOptions, frozen=True):
    """DEPTHWISE_CONV_2D; its lowering takes the depth multiplier from the shapes."""

    padding: SchemaInt8
    stride_w: SchemaInt32
    stride_h: SchemaInt32
    depth_multiplier: SchemaInt32
    fused_activation_function: SchemaInt8
    dilation_w_factor: SchemaInt32 = 1
    dilation_h_factor: SchemaInt32 = 1


_INT8 = (ElementType.INT8, ElementType.INT8)
_INT16 = (ElementType.INT16, ElementType.INT8)
_FLOAT = (ElementType.FLOAT32,) * 3
TYPES = (
    (*_INT8, ElementType.INT8),
    (*_INT8, ElementType.INT32, ElementType.INT8),
    _FLOAT,
    (*_FLOAT, ElementType.FLOAT32),
    (*_INT16, ElementType.INT16),
    (*_INT16, ElementType.INT32, ElementType.INT16),
    (*_INT16, ElementType.INT64, ElementType.INT16),
)

_HYBRID = tuple(
    (ElementType.FLOAT32, ElementType.INT8, *bias, ElementType.FLOAT32)
    for bias in ((), (ElementType.FLOAT32,))
)

document(
    "CONV_2D",
    "DEPTHWISE_CONV_2D",
    types="int8, int16, float32; float32 with int8 weights",
    limits="weights with zero point 0, constant except for CONV_2D of int8 and float32; "
    "DEPTHWISE_CONV_2D of float32 with int8 weights: one scale per channel",
    becomes="[`slice`], `conv2d` | `depthwise_conv2d`, `rescale`, [`clamp`]; int16, groups, "
    "weights computed at run time, and float32 with int8 weights: `accel.reduce`",
    exact="int8, int16",
    golden="TFLite Micro; int8 weights with float32: LiteRT",
)


@operator("CONV_2D", newest_version=8)
def conv_2d(node: Node) -> Sequence[ir.Value]:
    """Lower a convolution; weights are OHWI in both TFLite and TOSA."""
    node.expect_operands(2, 3)
    node.expect_types(*TYPES, *_HYBRID)
    options = node.options(Conv2DOptions)
    weights = _weights(node)
    channels, height, width, depth = node.shape(1)
    node.expect_rank(0, 4)
    groups, rest = divmod(node.shape(0)[-1], depth)
    if rest or groups < 1 or channels % groups:
        node.malformed(
            f"weights of shape {list(node.shape(1))} on an input of {node.shape(0)[-1]} channels"
        )
    windows = window(
        node,
        (height, width),
        (options.stride_h, options.stride_w),
        options.padding,
        (options.dilation_h_factor, options.dilation_w_factor),
    )
    activation = options.fused_activation_function
    if weights is None or _is_hybrid(node) or groups > 1 or node.output.type is ElementType.INT16:
        return [_convolution_of_sums(node, windows, weights, groups, activation)]
    accumulated = _convolve(node, tosa.Conv2DOp, windows, weights, channels)
    return [_finish(node, accumulated, activation, channel_dimension=0)]


def _convolution_of_sums(
    node: Node,
    windows: SlidingWindow,
    weights: NDArray[np.generic] | None,
    groups: int,
    activation: int,
) -> ir.Value:
    """Lower a convolution that TOSA does not have; few networks load these kernels."""
    from forebay.frontends.tflite.kernels.convolve import (  # noqa: PLC0415
        lower_grouped,
        lower_grouped_at_run_time,
    )
    from forebay.frontends.tflite.kernels.hybrid_windows import (  # noqa: PLC0415
        lower_hybrid_convolution,
    )

    if weights is None:
        return lower_grouped_at_run_time(node, windows, groups, activation)
    if _is_hybrid(node):
        return lower_hybrid_convolution(node, windows, weights, groups, activation)
    return lower_grouped(node, windows, weights, groups, activation)


def _weights(node: Node) -> NDArray[np.generic] | None:
    """Return the weights; None where they are a result, with one scale."""
    is_uniform = node.input(0).type is node.input(1).type is node.output.type
    if node.input(1).data is not None or not is_uniform:
        return check_weights(node, rank=4, channel_dimension=0)
    node.expect_rank(1, 4)
    if node.output.type is ElementType.INT8 and node.quantization(node.input(1)).zero_point:
        node.refuse("weights with a zero point", "quantise weights symmetrically")
    return None


@operator("DEPTHWISE_CONV_2D", newest_version=7)
def depthwise_conv_2d(node: Node) -> Sequence[ir.Value]:
    """Lower a depthwise convolution.

    TFLite's weights 1HW(C*M) are TOSA's HWCM; the output channel is `c * M + m` in both.
    """
    node.expect_operands(2, 3)
    node.expect_types(*TYPES, *_HYBRID)
    options = node.options(DepthwiseConv2DOptions)
    weights = check_weights(node, rank=4, channel_dimension=3)
    one, height, width, channels = weights.shape
    node.expect_rank(0, 4)
    depth = node.shape(0)[-1]
    if one != 1 or channels % depth != 0:
        node.malformed(f"weights of shape {list(weights.shape)} on an input of {depth} channels")
    windows = window(
        node,
        (height, width),
        (options.stride_h, options.stride_w),
        options.padding,
        (options.dilation_h_factor, options.dilation_w_factor),
    )
    hwcm = weights.reshape(height, width, depth, channels // depth)
    activation = options.fused_activation_function
    if _is_hybrid(node) or node.output.type is ElementType.INT16:
        return [_depthwise_of_sums(node, windows, hwcm, activation)]
    accumulated = _convolve(node, tosa.DepthwiseConv2DOp, windows, hwcm, channels)
    return [_finish(node, accumulated, activation, channel_dimension=3)]


def _depthwise_of_sums(
    node: Node, windows: SlidingWindow, weights: NDArray[np.generic], activation: int
) -> ir.Value:
    """Lower a depthwise convolution that TOSA does not have; few networks load these kernels."""
    from forebay.frontends.tflite.kernels.convolve import lower_depthwise_sums  # noqa: PLC0415
    from forebay.frontends.tflite.kernels.hybrid_windows import (  # noqa: PLC0415
        lower_hybrid_depthwise,
    )

    if _is_hybrid(node):
        return lower_hybrid_depthwise(node, windows, weights, activation)
    return lower_depthwise_sums(node, windows, weights, activation)


def _is_hybrid(node: Node) -> bool:
    return node.output.type is ElementType.FLOAT32 and node.input(1).type is ElementType.INT8


def _convolve(
    node: Node,
    op: type[tosa.Conv2DOp] | type[tosa.DepthwiseConv2DOp],
    windows: SlidingWindow,
    weights: NDArray[np.generic],
    channels: int,
) -> ir.Value:
    integer = node.output.type is ElementType.INT8
    accumulator = emit.signless(32) if integer else ir.F32Type.get()
    value = covered(node, windows)
    element = emit.element_of(value)
    offset = node.quantization(node.input(0)).zero_point if integer else 0
    shape = (node.shape(0)[0], windows.y.output, windows.x.output, channels)
    with node.constant_location(1):
        filters = emit.tosa_constant(weights)
    return op(
        emit.tensor_type(shape, accumulator),
        value,
        filters,
        bias_of(node, channels),
        emit.tosa_zero_point(offset, element),
        emit.tosa_zero_point(weights_zero_point(node), element),
        emit.array(windows.padding),
        emit.array(windows.stride),
        emit.array(windows.dilation),
        ir.TypeAttr.get(accumulator),
    ).result


def _finish(
    node: Node, accumulated: ir.Value, activation: int, *, channel_dimension: int
) -> ir.Value:
    value = accumulated
    if node.output.type is ElementType.INT8:
        value = emit.tosa_rescale(
            accumulated,
            emit.mlir_type_of(ElementType.INT8),
            channel_multipliers(node, channel_dimension),
            output_zp=node.quantization(node.output).zero_point,
        )
    return activate(node, value, activation)
