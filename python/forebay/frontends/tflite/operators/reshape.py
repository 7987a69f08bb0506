"""RESHAPE, SQUEEZE and EXPAND_DIMS: always `tosa.reshape`, never a copy."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlir import ir

from forebay.frontends.tflite.file.options import OperatorOptions, SchemaInt32s
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import document, operator


class ReshapeOptions(OperatorOptions, frozen=True):
    """RESHAPE; `new_shape` is used only if the operator has no second operand."""

    new_shape: SchemaInt32s


class SqueezeOptions(OperatorOptions, frozen=True):
    """SQUEEZE."""

    squeeze_dims: SchemaInt32s


document(
    "RESHAPE",
    "SQUEEZE",
    "EXPAND_DIMS",
    types="all below",
    limits="constant shapes",
    becomes="`reshape`",
    exact="yes",
)


@operator("RESHAPE", newest_version=2)
def reshape(node: Node) -> Sequence[ir.Value]:
    """Reshape to the shape in operand 1, or in the options if there is no operand 1."""
    node.expect_operands(1, 2)
    node.expect_same_types()
    shape = _wanted(node)
    elements = math.prod(node.shape(0))
    known = math.prod(d for d in shape if d != -1)
    if shape.count(-1) > 1 or any(d < -1 for d in shape):
        node.malformed(f"the shape {shape} is ambiguous")
    if -1 in shape and known > 0 and elements % known == 0:
        shape[shape.index(-1)] = elements // known
    if -1 in shape or math.prod(shape) != elements:
        node.malformed(f"{list(node.shape(0))} does not reshape to {shape}")
    return [emit.tosa_reshape(node.value(0), shape)]


def _wanted(node: Node) -> list[int]:
    if not node.has(1):
        return list(node.options(ReshapeOptions).new_shape)
    # The file stores no elements of an empty tensor, which is the shape of a scalar.
    return [] if node.input(1).shape == (0,) else node.integers(1)


@operator("SQUEEZE", newest_version=2)
def squeeze(node: Node) -> Sequence[ir.Value]:
    """Remove the given dimensions of size 1, or all of them if none are given."""
    node.expect_operands(1)
    node.expect_same_types()
    shape = node.shape(0)
    axes = {node.axis(a, len(shape)) for a in node.options(SqueezeOptions).squeeze_dims}
    if any(shape[a] != 1 for a in axes):
        node.malformed(f"dimensions {sorted(axes)} of {list(shape)} are not all of size 1")
    squeezed = axes or {i for i, d in enumerate(shape) if d == 1}
    return [emit.tosa_reshape(node.value(0), [d for i, d in enumerate(shape) if i not in squeezed])]


@operator("EXPAND_DIMS", newest_version=1)
def expand_dims(node: Node) -> Sequence[ir.Value]:
    """Add one dimension of size 1."""
    node.expect_operands(2)
    node.expect_same_types()
    shape = node.shape(0)
    axis = node.axis(node.integer(1), len(shape) + 1)
    return [emit.tosa_reshape(node.value(0), (*shape[:axis], 1, *shape[axis:]))]
