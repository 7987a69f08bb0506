"""Quantise elements, in the order in which the operators after them read the result."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from forebay.frontends import tosa as emit
from forebay.frontends.elementwise import Compute, map_elements, map_indexed
from forebay.frontends.onnx.lowering.layout import LaidOut
from forebay.frontends.onnx.lowering.node import OnnxNode
from forebay.lowering.kernels.reduce import zero


def quantised_elements(
    node: OnnxNode, compute: Compute, scalars: Sequence[ir.Value] = (), bits: int = 8
) -> LaidOut:
    """Compute an integer from each element of operand 0 and from tensors of one element.

    Where all readers take channels last, the access map moves the channels, so no copy does.
    """
    operand = node.operand(0)
    stored = emit.signless(bits)
    shape = emit.static_shape_of(operand.value)
    if not node.is_read_with_channels_last or operand.last or len(shape) < 3:
        values = [operand.value, *scalars]
        return operand.with_value(map_elements(values, shape, stored, compute))
    dims = [ir.AffineExpr.get_dim(i) for i in range(len(shape))]
    source = (operand.logical(), [dims[0], dims[-1], *dims[1:-1]])
    moved = (shape[0], *shape[2:], shape[1])
    operands = [source, *((value, [zero()]) for value in scalars)]
    return LaidOut(map_indexed(operands, moved, stored, compute), last=True)
