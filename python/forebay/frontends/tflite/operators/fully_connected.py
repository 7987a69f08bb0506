"""FULLY_CONNECTED, as a 1x1 convolution, because TOSA has no fully connected op.

int8:    reshape [n, 1, 1, k] -> conv2d (i32, bias inside) -> rescale -> [clamp] -> reshape
float32: reshape [n, 1, 1, k] -> conv2d (f32, bias inside) -> [clamp] -> reshape
float32 with int8 weights: see `hybrid.py`
int16, or weights computed at run time:
         [reshape [n, k]] -> accel.reduce -> [reshape], see `accumulate.py`
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.dialects import tosa
from numpy.typing import NDArray

from forebay.frontends.tflite.file.options import OperatorOptions, SchemaInt8
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
from forebay.frontends.tflite.operators.convolution import TYPES


class FullyConnectedOptions(OperatorOptions, frozen=True):
    """FULLY_CONNECTED."""

    fused_activation_function: SchemaInt8
    weights_format: SchemaInt8
    keep_num_dims: bool
    asymmetric_quantize_inputs: bool


_HYBRID = tuple(
    (ElementType.FLOAT32, ElementType.INT8, *bias, ElementType.FLOAT32)
    for bias in ((), (ElementType.FLOAT32,))
)

document(
    "FULLY_CONNECTED",
    types="int8, int16, float32; float32 with int8 weights",
    limits="constant weights have zero point 0",
    becomes="[`reshape`], `conv2d` of 1×1, `rescale`, [`clamp`], [`reshape`]; int16, "
    "or weights computed at run time: `accel.reduce`",
    exact="int8, int16",
    golden="TFLite Micro; int8 weights with float32: LiteRT",
)


@operator("FULLY_CONNECTED", newest_version=13)
def fully_connected(node: Node) -> Sequence[ir.Value]:
    """Lower the layer; the input is split into vectors of the length of a row of the weights."""
    node.expect_operands(2, 3)
    node.expect_types(*TYPES, *_HYBRID)
    options = node.options(FullyConnectedOptions)
    if options.weights_format != 0:
        node.refuse("the shuffled weights format", "convert the model with default weights")
    channels, depth = _sizes_of_weights(node)
    shape = node.shape(0)
    elements = math.prod(shape)
    if elements % depth != 0:
        node.malformed(f"an input of shape {list(shape)} does not divide into rows of {depth}")
    rows = elements // depth
    value = _lower(node, rows, depth, options)
    keep = options.keep_num_dims and len(shape) > 0 and shape[-1] == depth
    return [emit.tosa_reshape(value, (*shape[:-1], channels) if keep else (rows, channels))]


def _sizes_of_weights(node: Node) -> tuple[int, int]:
    """Return the number of rows of the weights, and the length of one."""
    if node.input(1).data is not None:
        channels, depth = check_weights(node, rank=2, channel_dimension=0).shape
        return channels, depth
    shape = node.shape(1)
    if len(shape) < 2 or math.prod(shape[:-2]) != 1 or 0 in shape:
        node.malformed(f"the weights have the shape {list(shape)}")
    return shape[-2], shape[-1]


def _lower(node: Node, rows: int, depth: int, options: FullyConnectedOptions) -> ir.Value:
    activation = options.fused_activation_function
    element = node.output.type
    is_constant = node.input(1).data is not None
    if element is ElementType.FLOAT32 and node.input(1).type is ElementType.INT8:
        from forebay.frontends.tflite.kernels.hybrid import (  # noqa: PLC0415  (seldom used)
            lower_hybrid_rows,
        )

        vectors = emit.tosa_reshape(node.value(0), (rows, depth))
        is_asymmetric = options.asymmetric_quantize_inputs
        weights = node.constant(1)
        value = lower_hybrid_rows(node, vectors, weights, is_asymmetric=is_asymmetric)
        return activate(node, value, activation)
    if not is_constant or element is ElementType.INT16:
        from forebay.frontends.tflite.kernels.convolve import (  # noqa: PLC0415  (seldom used)
            lower_rows,
            lower_rows_at_run_time,
        )

        vectors = emit.tosa_reshape(node.value(0), (rows, depth))
        if is_constant:
            return lower_rows(node, vectors, node.constant(1), activation)
        return lower_rows_at_run_time(node, vectors, activation)
    value = _multiply(node, rows, node.constant(1))
    if element is ElementType.INT8:
        value = emit.tosa_rescale(
            value,
            emit.mlir_type_of(ElementType.INT8),
            channel_multipliers(node, 0),
            output_zp=node.quantization(node.output).zero_point,
        )
    return activate(node, value, activation)


def _multiply(node: Node, rows: int, weights: NDArray[np.generic]) -> ir.Value:
    integer = node.output.type is ElementType.INT8
    accumulator = emit.signless(32) if integer else ir.F32Type.get()
    channels, depth = weights.shape
    value = emit.tosa_reshape(node.value(0), (rows, 1, 1, depth))
    element = emit.element_of(value)
    offset = node.quantization(node.input(0)).zero_point if integer else 0
    with node.constant_location(1):
        filters = emit.tosa_constant(weights.reshape(channels, 1, 1, depth))
    return tosa.Conv2DOp(
        emit.tensor_type((rows, 1, 1, channels), accumulator),
        value,
        filters,
        bias_of(node, channels),
        emit.tosa_zero_point(offset, element),
        emit.tosa_zero_point(weights_zero_point(node), element),
        emit.array([0, 0, 0, 0]),
        emit.array([1, 1]),
        emit.array([1, 1]),
        ir.TypeAttr.get(accumulator),
    ).result
