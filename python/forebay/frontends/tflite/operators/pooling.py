"""AVERAGE_POOL_2D and MAX_POOL_2D.

    [slice] -> avg_pool2d | max_pool2d -> [clamp]

TFLite averages the stored int8 values without padding and rounds halves away from zero. This is
TOSA's avg_pool2d with zero points of 0, so input and output must have the same quantisation. Means
of uint8 round halves up, see `unsigned_average.py`. Kernels that few networks have are imported
where they are used.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import tosa

from forebay.frontends.tflite.file.options import OperatorOptions, SchemaInt8, SchemaInt32
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.activation import activate
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import document, operator
from forebay.frontends.tflite.lowering.window import covered, window
from forebay.frontends.windows import SlidingWindow


class Pool2DOptions(OperatorOptions, frozen=True):
    """AVERAGE_POOL_2D and MAX_POOL_2D."""

    padding: SchemaInt8
    stride_w: SchemaInt32
    stride_h: SchemaInt32
    filter_width: SchemaInt32
    filter_height: SchemaInt32
    fused_activation_function: SchemaInt8


_TYPES = tuple((e,) * 2 for e in (ElementType.INT8, ElementType.INT16, ElementType.FLOAT32))

document("L2_POOL_2D", types="float32", becomes="`accel.reduce`", exact="")
document(
    "AVERAGE_POOL_2D",
    "MAX_POOL_2D",
    types="int8, int16, float32",
    limits="one quantisation",
    becomes="[`slice`], `avg_pool2d` | `max_pool2d`, [`clamp`]; int16: `accel.reduce`",
    exact="int8, int16",
)


@operator("AVERAGE_POOL_2D", newest_version=3)
def average_pool_2d(node: Node) -> Sequence[ir.Value]:
    """Lower the mean of each window."""
    options, windows = _prepare(node)
    if node.output.type is ElementType.INT16:
        from forebay.frontends.tflite.kernels.wide_pools import wide_average  # noqa: PLC0415

        return [wide_average(node, windows, options.fused_activation_function)]
    if node.output.was_unsigned:
        from forebay.frontends.tflite.kernels.unsigned_average import (  # noqa: PLC0415
            unsigned_average,
        )

        return [unsigned_average(node, windows, options.fused_activation_function)]
    value = covered(node, windows)
    element = emit.element_of(value)
    integer = node.output.type is ElementType.INT8
    pooled = tosa.AvgPool2dOp(
        _pooled_type(node, windows, element),
        value,
        emit.tosa_zero_point(0, element),
        emit.tosa_zero_point(0, element),
        emit.array(windows.kernel),
        emit.array(windows.stride),
        emit.array(windows.padding),
        ir.TypeAttr.get(emit.signless(32) if integer else ir.F32Type.get()),
    ).result
    return [activate(node, pooled, options.fused_activation_function)]


@operator("L2_POOL_2D", newest_version=1)
def l2_pool_2d(node: Node) -> Sequence[ir.Value]:
    """Lower the root of the mean of the squares of each window."""
    node.expect_types((ElementType.FLOAT32,) * 2)
    from forebay.frontends.tflite.kernels.wide_pools import root_mean_square  # noqa: PLC0415

    options, windows = _prepare(node)
    value = root_mean_square(node, windows)
    return [activate(node, value, options.fused_activation_function)]


@operator("MAX_POOL_2D", newest_version=3)
def max_pool_2d(node: Node) -> Sequence[ir.Value]:
    """Lower the maximum of each window."""
    options, windows = _prepare(node)
    if node.output.type is ElementType.INT16:
        from forebay.frontends.tflite.kernels.wide_pools import wide_maximum  # noqa: PLC0415

        return [wide_maximum(node, windows, options.fused_activation_function)]
    value = covered(node, windows)
    result = _pooled_type(node, windows, emit.element_of(value))
    pooled = tosa.MaxPool2dOp(
        result,
        value,
        emit.array(windows.kernel),
        emit.array(windows.stride),
        emit.array(windows.padding),
    ).result
    return [activate(node, pooled, options.fused_activation_function)]


def _prepare(node: Node) -> tuple[Pool2DOptions, SlidingWindow]:
    node.expect_operands(1)
    node.expect_types(*_TYPES)
    node.expect_same_quantization()
    options = node.options(Pool2DOptions)
    kernel = (options.filter_height, options.filter_width)
    return options, window(node, kernel, (options.stride_h, options.stride_w), options.padding)


def _pooled_type(node: Node, windows: SlidingWindow, element: ir.Type) -> ir.RankedTensorType:
    batch, _, _, channels = node.shape(0)
    return emit.tensor_type((batch, windows.y.output, windows.x.output, channels), element)
