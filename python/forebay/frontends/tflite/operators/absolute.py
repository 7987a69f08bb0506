"""ABS: the magnitude of a value.

    int8:    table of 256 entries, each computed as in TFLite Micro
    float32: abs

Source: TFLite Micro `elementwise.cc`.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import math as mathlib
from mlir.dialects import tosa

from forebay.frontends.elementwise import map_elements
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.kernels.scaled import rescaled, saturated
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import DIFFERENCE, Node
from forebay.frontends.tflite.lowering.quantize import multiply_by_quantized_multiplier
from forebay.frontends.tflite.lowering.registry import document, operator
from forebay.lowering.kernels import scalar

_TYPES = tuple((e,) * 2 for e in (ElementType.INT8, ElementType.INT16, ElementType.FLOAT32))

document(
    "ABS",
    types="int8, int16, float32",
    becomes="int8: `table`; int16: `linalg.generic`; `abs`",
    exact="yes",
)


@operator("ABS", newest_version=5)
def absolute(node: Node) -> Sequence[ir.Value]:
    """Lower `|x|`; an int8 result may have a scale and a zero point of its own."""
    node.expect_operands(1)
    node.expect_types(*_TYPES)
    if node.output.type is ElementType.FLOAT32:
        return [tosa.AbsOp(node.value(0).type, node.value(0)).result]
    if node.output.type is ElementType.INT16:
        return [_wide(node)]
    source, target = node.quantization(node.input(0)), node.quantization(node.output)
    factor = node.multiplier(source.scale / target.scale, reach=DIFFERENCE)

    def element(x: int) -> int:
        magnitude = abs(x - source.zero_point)
        scaled = (
            magnitude
            if source.scale == target.scale
            else multiply_by_quantized_multiplier(magnitude, factor)
        )
        return max(-128, min(127, scaled + target.zero_point))

    return [emit.tosa_table(node.value(0), [element(x) for x in range(-128, 128)])]


def _wide(node: Node) -> ir.Value:
    """Build the operator on int16; without a scale, the magnitude of the lowest value wraps."""
    factor = None
    if node.input(0).quantization is not None:
        source, target = node.quantization(node.input(0)), node.quantization(node.output)
        factor = node.multiplier(source.scale / target.scale, reach=1 << 15)

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        magnitude = mathlib.AbsIOp(scalar.widen(ins[0])).result
        if factor is None:
            return scalar.narrow(magnitude, emit.signless(16))
        return saturated(rescaled(magnitude, factor), 0, ElementType.INT16)

    return map_elements([node.value(0)], node.shape(0), emit.signless(16), compute)
