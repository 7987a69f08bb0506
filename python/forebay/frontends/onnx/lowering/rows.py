"""Positions that a network computes: indices of rows, and of elements along several axes."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, tensor

from forebay.frontends.onnx.lowering.node import OnnxNode
from forebay.lowering.kernels import scalar

INDEX_TYPES = ("int32", "int64")


def expect_indices(node: OnnxNode, operand: int) -> None:
    """Check that an operand holds indices."""
    if node.dtype(operand).name not in INDEX_TYPES:
        node.malformed(f"indices of {node.dtype(operand).name}")


def row_index(number: ir.Value, size: int) -> ir.Value:
    """Return the index of a row; a negative one counts from the end, one outside is limited."""
    zero = scalar.scalar_constant(0, number.type)
    from_end = scalar.add_constant(number, size)
    negative = arith.CmpIOp(arith.CmpIPredicate.slt, number, zero).result
    limited = scalar.clamp(arith.SelectOp(negative, from_end, number).result, 0, size - 1)
    return arith.IndexCastOp(ir.IndexType.get(), limited).result


def index_tuple(
    indices: ir.Value, outer: Sequence[ir.Value], sizes: Sequence[int]
) -> list[ir.Value]:
    """Return the indices that a vector at a position of `indices` gives, one for each size."""
    found: list[ir.Value] = []
    for i, size in enumerate(sizes):
        at = scalar.scalar_constant(i, ir.IndexType.get())
        found.append(row_index(tensor.ExtractOp(indices, [*outer, at]).result, size))
    return found
