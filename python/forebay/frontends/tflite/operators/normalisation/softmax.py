"""SOFTMAX over the last dimension, int8 and float32: the custom op of `forebay.ir.softmax`."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlir import ir

from forebay.frontends.tflite.file.options import OperatorOptions
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import document, operator
from forebay.ir.softmax import FloatSoftmax, QuantizedSoftmax, build_softmax


class SoftmaxOptions(OperatorOptions, frozen=True):
    """SOFTMAX."""

    beta: float


_INTEGER_BITS = 5
_LARGEST_MULTIPLIER = float((1 << 31) - 1)
_OUTPUT_SCALE = 1.0 / 256.0
_OUTPUT_ZERO_POINT = -128

document(
    "SOFTMAX",
    types="int8, float32",
    limits="last dimension",
    becomes="`custom`, see `forebay.ir.softmax`",
    exact="int8",
)


@operator("SOFTMAX", newest_version=3)
def softmax(node: Node) -> Sequence[ir.Value]:
    """Lower the exponentials divided by their sum, along the last dimension."""
    node.expect_operands(1)
    node.expect_types((ElementType.INT8,) * 2, (ElementType.FLOAT32,) * 2)
    if not node.shape(0):
        node.malformed("its input is a scalar")
    beta = node.options(SoftmaxOptions).beta
    if not (math.isfinite(beta) and beta > 0):
        node.malformed(f"its beta is {beta}")
    if node.output.type is ElementType.FLOAT32:
        return [build_softmax(node.value(0), FloatSoftmax(beta))]
    return [build_softmax(node.value(0), _quantized(node, beta))]


def _quantized(node: Node, beta: float) -> QuantizedSoftmax:
    """Compute TFLite's `PreprocessSoftmaxScaling` and `CalculateInputRadius`."""
    target = node.quantization(node.output)
    if (target.scale, target.zero_point) != (_OUTPUT_SCALE, _OUTPUT_ZERO_POINT):
        node.refuse(
            f"an output of scale {target.scale:g} and zero point {target.zero_point}",
            "TFLite's int8 softmax has scale 1/256 and zero point -128",
        )
    scale = beta * node.quantization(node.input(0)).scale
    multiplier = node.multiplier(
        min(scale * (1 << (31 - _INTEGER_BITS)), _LARGEST_MULTIPLIER), largest_exponent=31
    )
    if multiplier.exponent < 0:
        node.refuse(f"an input scale of {scale:g}", "it makes all outputs equal; use a larger one")
    radius = ((1 << _INTEGER_BITS) - 1) * (1 << (31 - _INTEGER_BITS)) / (1 << multiplier.exponent)
    return QuantizedSoftmax(multiplier.significand, multiplier.exponent, -math.floor(radius))
