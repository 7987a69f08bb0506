"""MINIMUM and MAXIMUM of the stored values: one op; operands and result share one quantisation."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, tosa

from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.kernels.integers import INTEGERS, lower_integers
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.broadcast import broadcast_operands
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import document, operator

_TOSA = (ElementType.INT8, ElementType.FLOAT32)
_OTHERS = (ElementType.INT16, *INTEGERS)

document(
    "MINIMUM",
    "MAXIMUM",
    types="int8, int16, int32, int64, float32",
    limits="one quantisation; broadcasting",
    becomes="`minimum` | `maximum`; int16, int32, int64: `linalg.generic`",
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
    node.expect_types(*((t,) * 3 for t in (*_TOSA, *_OTHERS)))
    node.expect_same_quantization()
    if node.output.type in _OTHERS:
        chosen = arith.MinSIOp if op is tosa.MinimumOp else arith.MaxSIOp
        return lower_integers(node, chosen, 0)
    a, b, shape = broadcast_operands(node)
    return op(emit.tensor_type(shape, emit.element_of(a)), a, b).result
