"""RELU, RELU6 and RELU_N1_TO_1 as separate operators: [rescale] -> [clamp].

RELU of integers may change the scale. RELU6 clamps in the quantisation of its input, whatever that
of its result (TFLite Micro `activations_common.cc`).
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.activation import (
    RELU,
    RELU6,
    RELU_N1_TO_1,
    Activation,
    activate,
    quantized_bounds,
)
from forebay.frontends.tflite.lowering.node import DIFFERENCE, Node
from forebay.frontends.tflite.lowering.registry import document, operator

_TYPES = tuple((e,) * 2 for e in (ElementType.INT8, ElementType.INT16, ElementType.FLOAT32))
_DIFFERENCES = {ElementType.INT8: DIFFERENCE, ElementType.INT16: 1 << 15}

document(
    "RELU",
    "RELU6",
    types="int8, int16, float32",
    becomes="[`rescale`], [`clamp`]",
    exact="yes",
)
document("RELU_N1_TO_1", types="float32", becomes="`clamp`", exact="yes", golden="LiteRT")


@operator("RELU", newest_version=3)
def relu(node: Node) -> Sequence[ir.Value]:
    """Lower `max(x, 0)`."""
    node.expect_operands(1)
    node.expect_types(*_TYPES)
    value = node.value(0)
    if node.output.type is not ElementType.FLOAT32:
        source, target = node.quantization(node.input(0)), node.quantization(node.output)
        reach = _DIFFERENCES[node.output.type]
        if source != target:
            value = emit.tosa_rescale(
                value,
                emit.mlir_type_of(node.output.type),
                [node.multiplier(source.scale / target.scale, reach=reach)],
                input_zp=source.zero_point,
                output_zp=target.zero_point,
            )
    return [activate(node, value, RELU)]


@operator("RELU6", newest_version=3)
def relu6(node: Node) -> Sequence[ir.Value]:
    """Lower `min(max(x, 0), 6)`."""
    node.expect_operands(1)
    node.expect_types(*_TYPES)
    if node.output.type is ElementType.FLOAT32:
        return [activate(node, node.value(0), RELU6)]
    bounds = quantized_bounds(node, Activation.RELU6, node.input(0))
    return [emit.clamp_integer(node.value(0), *bounds) if bounds else node.value(0)]


@operator("RELU_N1_TO_1", newest_version=1)
def relu_n1_to_1(node: Node) -> Sequence[ir.Value]:
    """Lower `min(max(x, -1), 1)`."""
    node.expect_operands(1)
    node.expect_types((ElementType.FLOAT32,) * 2)
    return [activate(node, node.value(0), RELU_N1_TO_1)]
