"""RELU and RELU6 as separate operators: [rescale] -> [clamp].

RELU of int8 may change the scale; RELU6 may not (TFLite Micro `activations_common.cc`).
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.activation import RELU, RELU6, activate
from forebay.frontends.tflite.lowering.node import DIFFERENCE, Node
from forebay.frontends.tflite.lowering.registry import document, operator

_TYPES = ((ElementType.INT8,) * 2, (ElementType.FLOAT32,) * 2)

document(
    "RELU",
    "RELU6",
    types="int8, float32",
    limits="RELU6 in one quantisation",
    becomes="[`rescale`], [`clamp`]",
    exact="yes",
)


@operator("RELU", newest_version=3)
def relu(node: Node) -> Sequence[ir.Value]:
    """Lower `max(x, 0)`."""
    node.expect_operands(1)
    node.expect_types(*_TYPES)
    value = node.value(0)
    if node.output.type is ElementType.INT8:
        source, target = node.quantization(node.input(0)), node.quantization(node.output)
        if source != target:
            value = emit.tosa_rescale(
                value,
                emit.signless(8),
                [node.multiplier(source.scale / target.scale, reach=DIFFERENCE)],
                input_zp=source.zero_point,
                output_zp=target.zero_point,
            )
    return [activate(node, value, RELU)]


@operator("RELU6", newest_version=3)
def relu6(node: Node) -> Sequence[ir.Value]:
    """Lower `min(max(x, 0), 6)`."""
    node.expect_operands(1)
    node.expect_types(*_TYPES)
    node.expect_same_quantization()
    return [activate(node, node.value(0), RELU6)]
