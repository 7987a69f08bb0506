"""MINIMUM and MAXIMUM of the stored values: one op; operands and result share one quantisation."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import tosa

from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.broadcast import broadcast_operands
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import document, operator

document(
    "MINIMUM",
    "MAXIMUM",
    types="int8, float32",
    limits="one quantisation; broadcasting",
    becomes="`minimum` | `maximum`",
    exact="yes",
)


@operator("MINIMUM", newest_version=4)
def minimum(node: Node) -> Sequence[ir.Value]:
    """Lower the smaller of two values."""
    return [_extremum(node, tosa.MinimumOp)]


@operator("MAXIMUM", newest_version=4)
def maximum(node: Node) -> Sequence[ir.Value]:
    """Lower the larger of two values."""
    return [_extremum(node, tosa.MaximumOp)]


def _extremum(node: Node, op: type[tosa.MinimumOp] | type[tosa.MaximumOp]) -> ir.Value:
    node.expect_operands(2)
    node.expect_types((ElementType.INT8,) * 3, (ElementType.FLOAT32,) * 3)
    node.expect_same_quantization()
    a, b, shape = broadcast_operands(node)
    return op(emit.tensor_type(shape, emit.element_of(a)), a, b).result
