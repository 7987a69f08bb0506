"""Builds `linalg.generic` ops over rows and columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir
from mlir.dialects import linalg, tensor

Emit = Callable[[Sequence[ir.Value]], ir.Value]
"""Emits the body: from the elements of the ins and of the out to the new element of the out."""


def over_rows(
    ins: Sequence[ir.Value], out: ir.Value, body: Emit, *, columns_are_reduced: bool = False
) -> ir.Value:
    """One op on tensors `[rows, columns]`; a tensor `[rows]` gives its element to the whole row."""
    row, column = ir.AffineExpr.get_dim(0), ir.AffineExpr.get_dim(1)
    operands = [*ins, out]
    maps = [
        ir.AffineMap.get(2, 0, [row, column][: ir.RankedTensorType(v.type).rank]) for v in operands
    ]
    kinds = ["parallel", "reduction" if columns_are_reduced else "parallel"]
    op = linalg.GenericOp(
        [out.type],
        list(ins),
        [out],
        ir.ArrayAttr.get([ir.AffineMapAttr.get(m) for m in maps]),
        ir.ArrayAttr.get([ir.Attribute.parse(f"#linalg.iterator_type<{kind}>") for kind in kinds]),
    )
    elements = [ir.RankedTensorType(v.type).element_type for v in operands]
    block = op.operation.regions[0].blocks.append(*elements)
    with ir.InsertionPoint(block):
        linalg.YieldOp([body(list(block.arguments))])
    return op.operation.results[0]


def empty(shape: Sequence[int], element: ir.Type) -> ir.Value:
    """A tensor to write to."""
    return tensor.EmptyOp(list(shape), element).result
