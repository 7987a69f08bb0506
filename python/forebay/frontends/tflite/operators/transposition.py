"""TRANSPOSE: `tosa.transpose`, or `tosa.reshape` where only dimensions of size 1 move."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import tosa

from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import document, operator

document(
    "TRANSPOSE",
    types="all below",
    limits="constant permutation",
    becomes="`transpose`, or `reshape` if only sizes of 1 move",
    exact="yes",
)


@operator("TRANSPOSE", newest_version=7)
def transpose(node: Node) -> Sequence[ir.Value]:
    """Permute: dimension `i` of the result is dimension `permutation[i]` of the input."""
    node.expect_operands(2)
    node.expect_same_types()
    node.expect_same_quantization()
    shape, permutation = node.shape(0), node.integers(1)
    if sorted(permutation) != list(range(len(shape))):
        node.malformed(f"{permutation} is no permutation of {len(shape)} dimensions")
    result = [shape[p] for p in permutation]
    value = node.value(0)
    moved = [p for p in permutation if shape[p] != 1]
    if moved == sorted(moved):
        return [emit.tosa_reshape(value, result)]
    kind = emit.tensor_type(result, emit.element_of(value))
    return [tosa.TransposeOp(kind, value, ir.DenseI32ArrayAttr.get(permutation)).result]
