"""Broadcast two operands as NumPy does; TOSA needs equal ranks and sizes of 1."""

from __future__ import annotations

import numpy as np
from mlir import ir

from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node


def broadcast_operands(node: Node) -> tuple[ir.Value, ir.Value, emit.Shape]:
    """Return operands 0 and 1 reshaped to one rank, and the shape of the result."""
    shape = result_shape(node, 0, 1)
    a, b = (
        emit.tosa_reshape(node.value(i), (1,) * (len(shape) - len(node.shape(i))) + node.shape(i))
        for i in (0, 1)
    )
    return a, b, shape


def result_shape(node: Node, *operands: int) -> emit.Shape:
    """Return the shape to which the operands broadcast."""
    shapes = [node.shape(i) for i in operands]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        listed = " and ".join(str(list(shape)) for shape in shapes)
        node.malformed(f"operands of shapes {listed} do not broadcast")
