"""RESHAPE: always `tosa.reshape`, never a copy."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlir import ir

from forebay.frontends.tflite import emit
from forebay.frontends.tflite.node import Node
from forebay.frontends.tflite.options import ReshapeOptions
from forebay.frontends.tflite.registry import operator


@operator("RESHAPE", newest_version=1)
def reshape(node: Node) -> Sequence[ir.Value]:
    """The shape comes from operand 1, or from the options where there is none."""
    node.expect_operands(1, 2)
    node.expect_same_types()
    shape = node.integers(1) if node.has(1) else list(node.options(ReshapeOptions).new_shape)
    elements = math.prod(node.shape(0))
    known = math.prod(d for d in shape if d != -1)
    if shape.count(-1) > 1 or any(d < -1 for d in shape):
        node.malformed(f"the shape {shape} is ambiguous")
    if -1 in shape and known > 0 and elements % known == 0:
        shape[shape.index(-1)] = elements // known
    if -1 in shape or math.prod(shape) != elements:
        node.malformed(f"{list(node.shape(0))} does not reshape to {shape}")
    return [emit.reshape(node.value(0), shape)]
