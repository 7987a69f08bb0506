"""SOFTMAX over the last dimension, int8 and float32: the custom op of `forebay.ir.softmax`."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlir import ir

from forebay.frontends.tflite.file.options import OperatorOptions
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import document, operator
from forebay.ir.softmax import FloatSoftmax, QuantizedSoftmax, build_softmax


class SoftmaxOptions(OperatorOptions, frozen=True):
    """SOFTMAX."""

    beta: float


_INTEGER_BITS = 5
_LONGEST_ROW = 1 << 16
_LARGEST_MULTIPLIER = float((1 << 31) - 1)

document(
    "SOFTMAX",
    types="int8, int8 to int16, int16, float32",
    limits="last dimension",
    becomes="`custom`, see `forebay.ir.softmax`; int16: `linalg.generic`s, `accel.reduce`s",
    exact="int8, int16",
)


@operator("SOFTMAX", newest_version=3)
def softmax(node: Node) -> Sequence[ir.Value]:
    """Lower the exponentials divided by their sum, along the last dimension."""
    node.expect_operands(1)
    node.expect_types(
        (ElementType.INT8,) * 2,
        (ElementType.INT8, ElementType.INT16),
        (ElementType.INT16,) * 2,
        (ElementType.FLOAT32,) * 2,
    )
    if not node.shape(0):
        node.malformed("its input is a scalar")
    beta = node.options(SoftmaxOptions).beta
    if not (math.isfinite(beta) and beta > 0):
        node.malformed(f"its beta is {beta}")
    if node.output.type is ElementType.FLOAT32:
        return [build_softmax(node.value(0), FloatSoftmax(beta))]
    if node.input(0).type is ElementType.INT16:
        return [_of_int16(node, beta)]
    result = emit.tensor_type(node.shape(0), emit.mlir_type_of(node.output.type))
    return [build_softmax(node.value(0), _quantized(node, beta), result)]


def _of_int16(node: Node, beta: float) -> ir.Value:
    """Build the kernel of int16, after the checks of TFLite Micro."""
    from forebay.frontends.tflite.kernels.wide_softmax import (  # noqa: PLC0415  (seldom used)
        INPUT_SCALE,
        lower_wide_softmax,
    )

    target = node.quantization(node.output)
    if not math.isclose(target.scale, 2.0**-15, rel_tol=1e-3):
        node.refuse(f"an output of scale {target.scale:g}", f"use the scale {2.0**-15:g}")
    columns = node.shape(0)[-1]
    if columns > _LONGEST_ROW:
        node.refuse(f"rows of {columns:,}", f"sums of {_LONGEST_ROW:,} fit into 32 bits")
    real = node.quantization(node.input(0)).scale * beta / INPUT_SCALE
    factor = node.multiplier(real, reach=(1 << 16) - 1)
    return lower_wide_softmax(node.value(0), factor)


def _quantized(node: Node, beta: float) -> QuantizedSoftmax:
    """Compute TFLite's `PreprocessSoftmaxScaling` and `CalculateInputRadius`."""
    target = node.quantization(node.output, symmetric=False)
    lowest, highest = node.output.type.range
    fixed = (1.0 / (highest - lowest + 1), lowest)
    # TFLite Micro takes a scale for int16 that is off by a thousandth.
    tolerance = 1e-3 if node.output.type is ElementType.INT16 else 0.0
    is_fixed = math.isclose(target.scale, fixed[0], rel_tol=tolerance)
    if not is_fixed or target.zero_point != lowest:
        node.refuse(
            f"an output of scale {target.scale:g} and zero point {target.zero_point}",
            f"TFLite's softmax to {node.output.type_name} has scale {fixed[0]:g} and zero point "
            f"{fixed[1]}",
        )
    scale = beta * node.quantization(node.input(0)).scale
    multiplier = node.multiplier(
        min(scale * (1 << (31 - _INTEGER_BITS)), _LARGEST_MULTIPLIER), largest_exponent=31
    )
    if multiplier.exponent < 0:
        node.refuse(f"an input scale of {scale:g}", "it makes all outputs equal; use a larger one")
    radius = ((1 << _INTEGER_BITS) - 1) * (1 << (31 - _INTEGER_BITS)) / (1 << multiplier.exponent)
    return QuantizedSoftmax(multiplier.significand, multiplier.exponent, -math.floor(radius))
