"""Broadcast two operands as NumPy does; TOSA needs equal ranks and sizes of 1."""

from __future__ import annotations

from mlir import ir

from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node


def broadcast_operands(node: Node) -> tuple[ir.Value, ir.Value, emit.Shape]:
    """Return operands 0 and 1 reshaped to one rank, and the shape of the result."""
    a, b = node.shape(0), node.shape(1)
    rank = max(len(a), len(b))
    a, b = (1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b
    if any(x != y and 1 not in (x, y) for x, y in zip(a, b, strict=True)):
        node.malformed(f"operands of shapes {list(a)} and {list(b)} do not broadcast")
    shape = tuple(max(x, y) for x, y in zip(a, b, strict=True))
    return emit.tosa_reshape(node.value(0), a), emit.tosa_reshape(node.value(1), b), shape
