"""Operands of elementwise operators, in one order of elements and of one rank."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlir import ir
from msgspec import Struct

from forebay.frontends import tosa as emit
from forebay.frontends.onnx.lowering.layout import LaidOut, permuted
from forebay.frontends.onnx.lowering.node import OnnxNode, stored_elements


class Aligned(Struct, frozen=True, eq=False):
    """Values of one rank that broadcast to `shape`, and the order that they share."""

    values: tuple[ir.Value, ...]
    shape: emit.Shape
    like: LaidOut

    def result(self, value: ir.Value) -> LaidOut:
        """Return a result of that order."""
        return self.like.with_value(value)


def aligned(node: OnnxNode, indices: Sequence[int]) -> Aligned:
    """Return operands as they broadcast; the result keeps channels last if an operand has them."""
    shapes = [node.shape(i) for i in indices]
    try:
        shape = np.broadcast_shapes(*shapes)
    except ValueError:
        listed = " and ".join(str(list(s)) for s in shapes)
        node.malformed(f"operands of shapes {listed} do not broadcast")
    rank = len(shape)
    operands = [node.operand(i) for i in indices]
    packed = {o.packed for o in operands}
    if len(packed) == 1 and () not in packed and len(set(shapes)) == 1:
        return Aligned(tuple(o.value for o in operands), shape, operands[0])
    lasts = [o for o in operands if o.last and len(o.shape) == rank]
    if not lasts:
        values = [emit.tosa_reshape(o.logical(), _padded(o.shape, rank)) for o in operands]
        return Aligned(tuple(values), shape, LaidOut(values[0]))
    order = [0, *range(2, rank), 1]
    values = [_last(node, i, o, rank) for i, o in zip(indices, operands, strict=True)]
    return Aligned(tuple(values), tuple(shape[p] for p in order), lasts[0])


def _last(node: OnnxNode, index: int, operand: LaidOut, rank: int) -> ir.Value:
    if operand.last and len(operand.shape) == rank:
        return operand.value
    order = [0, *range(2, rank), 1]
    data = node.known(index)
    if data is not None:
        full = stored_elements(data).reshape(_padded(data.shape, rank)).transpose(order)
        return emit.tosa_constant(np.ascontiguousarray(full))
    return permuted(emit.tosa_reshape(operand.logical(), _padded(operand.shape, rank)), order)


def _padded(shape: Sequence[int], rank: int) -> emit.Shape:
    return (*(1,) * (rank - len(shape)), *shape)
