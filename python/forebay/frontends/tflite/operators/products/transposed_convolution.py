"""TRANSPOSE_CONV.

    int8:    transpose_conv2d (i32, bias inside) -> rescale -> [clamp]
    float32: transpose_conv2d (f32, bias inside) -> [clamp]
    int16:   accel.reduce, see `accumulate.py`

The shape of the result is that of the file. Operand 0 holds it again, and where it is computed at
run time nothing reads it, as in TFLite Micro.
Source: TFLite Micro `transpose_conv.cc`, `reference/integer_ops/transpose_conv.h`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.dialects import tosa
from numpy.typing import NDArray

from forebay.frontends.tflite.file.options import OperatorOptions, SchemaInt8, SchemaInt32
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.kernels.convolve import lower_transposed
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
from forebay.frontends.tflite.operators.convolution import TYPES


class TransposeConvOptions(OperatorOptions, frozen=True):
    """TRANSPOSE_CONV."""

    padding: SchemaInt8
    stride_w: SchemaInt32
    stride_h: SchemaInt32
    fused_activation_function: SchemaInt8 = 0


document(
    "TRANSPOSE_CONV",
    types="int8, int16, float32",
    limits="constant weights, zero point 0; the shape of the result in the file",
    becomes="`transpose_conv2d`, `rescale`, [`clamp`]; int16: `accel.reduce`",
    exact="int8, int16",
)


@operator("TRANSPOSE_CONV", newest_version=5)
def transpose_conv(node: Node) -> Sequence[ir.Value]:
    """Lower a transposed convolution; weights are OHWI in both TFLite and TOSA."""
    node.expect_operands(3, 4)
    if node.input(0).type is not ElementType.INT32:
        node.malformed(f"its shape is of type {node.input(0).type_name}")
    options = node.options(TransposeConvOptions)
    shape = _shape(node)
    node = node.reordered(2, 1, 3)
    node.expect_types(*TYPES)
    node.expect_rank(0, 4)
    weights = check_weights(node, rank=4, channel_dimension=0)
    batch, height, width, depth = node.shape(0)
    channels = len(weights)
    if weights.shape[3] != depth or (shape[0], shape[3]) != (batch, channels):
        node.malformed(f"weights of shape {list(weights.shape)} on {list(node.shape(0))}")
    stride = (options.stride_h, options.stride_w)
    if min(stride) < 1 or options.padding not in (0, 1):
        node.malformed(f"strides {stride} and padding number {options.padding}")
    pads = [
        _padding((height, width)[i], weights.shape[1 + i], stride[i], shape[1 + i], options.padding)
        for i in (0, 1)
    ]
    activation = options.fused_activation_function
    if node.output.type is ElementType.INT16:
        before = (pads[0][0], pads[1][0])
        return [lower_transposed(node, weights, stride, before, shape=shape, activation=activation)]
    value = transposed_sums(node, weights, stride, [*pads[0], *pads[1]], shape)
    if node.output.type is ElementType.INT8:
        value = emit.tosa_rescale(
            value,
            emit.mlir_type_of(ElementType.INT8),
            channel_multipliers(node, 0),
            output_zp=node.quantization(node.output).zero_point,
        )
    return [activate(node, value, activation)]


def _shape(node: Node) -> emit.Shape:
    shape = node.output.shape if node.input(0).data is None else tuple(node.integers(0))
    if len(shape) != 4 or min(shape) < 1:
        node.refuse(f"a result of shape {list(shape)}", "give it a static shape of rank 4")
    return shape


def _padding(source: int, kernel: int, stride: int, size: int, mode: int) -> tuple[int, int]:
    """Return the rows to add before and after; TFLite takes SAME padding from the result's size."""
    total = max(0, (source - 1) * stride + kernel - size) if mode == 0 else 0
    before = -(total // 2)
    return before, size - ((source - 1) * stride + kernel) - before


def transposed_sums(
    node: Node,
    weights: NDArray[np.generic],
    stride: tuple[int, int],
    pads: Sequence[int],
    shape: emit.Shape,
) -> ir.Value:
    """Build the sums of operand 0 by the weights, with the bias of operand 2."""
    integer = node.output.type is ElementType.INT8
    accumulator = emit.signless(32) if integer else ir.F32Type.get()
    value = node.value(0)
    element = emit.element_of(value)
    offset = node.quantization(node.input(0)).zero_point if integer else 0
    with node.constant_location(1):
        filters = emit.tosa_constant(weights)
    return tosa.TransposeConv2DOp(
        emit.tensor_type(shape, accumulator),
        value,
        filters,
        bias_of(node, len(weights)),
        emit.tosa_zero_point(offset, element),
        emit.tosa_zero_point(weights_zero_point(node), element),
        emit.array(pads),
        emit.array(stride),
        ir.TypeAttr.get(accumulator),
    ).result
