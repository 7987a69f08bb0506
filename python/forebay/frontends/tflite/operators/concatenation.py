"""CONCATENATION and PACK: `tosa.concat` of stored values, PACK with a reshape of each before it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlir import ir

from forebay.frontends.tflite.file.options import ConcatenationOptions, OperatorOptions, SchemaInt32
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.activation import NONE
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import Result, document, operator


class PackOptions(OperatorOptions, frozen=True):
    """PACK."""

    values_count: SchemaInt32
    axis: SchemaInt32


document(
    "CONCATENATION",
    "PACK",
    types="all below",
    limits="one quantisation",
    becomes="[`reshape`s], `concat`",
    exact="yes",
)


@operator("CONCATENATION", newest_version=5)
def concatenation(node: Node) -> Sequence[Result]:
    """Concatenate along an axis; all operands have the same quantisation.

    Operands without elements are left out.
    """
    options = node.options(ConcatenationOptions)
    _check(node)
    if options.fused_activation_function != NONE:
        node.refuse("a fused activation", "use an activation operator after it")
    shapes = [node.shape(i) for i in range(node.arity)]
    axis = node.axis(options.axis, len(shapes[0]))
    if len({(*s[:axis], *s[axis + 1 :]) for s in shapes}) > 1 or len({len(s) for s in shapes}) > 1:
        node.malformed(f"shapes {[list(s) for s in shapes]} do not join along axis {axis}")
    present = [node.value(i) for i, s in enumerate(shapes) if 0 not in s]
    if not present:
        size = sum(s[axis] for s in shapes)
        sizes = [size if i == axis else d for i, d in enumerate(shapes[0])]
        return [np.zeros(sizes, node.output.type.value)]
    return [emit.tosa_concat(present, axis)]


@operator("PACK", newest_version=4)
def pack(node: Node) -> Sequence[ir.Value]:
    """Stack along a new axis."""
    options = node.options(PackOptions)
    _check(node)
    shape = node.shape(0)
    axis = node.axis(options.axis, len(shape) + 1)
    if options.values_count != node.arity or any(node.shape(i) != shape for i in range(node.arity)):
        node.malformed(f"its {node.arity} operands are not {options.values_count} of one shape")
    widened = [*shape[:axis], 1, *shape[axis:]]
    return [
        emit.tosa_concat(
            [emit.tosa_reshape(node.value(i), widened) for i in range(node.arity)], axis
        )
    ]


def _check(node: Node) -> None:
    node.expect_operands(1, 1024)
    for index in range(node.arity):
        node.expect_same_types(index)
    if node.output.type is not ElementType.INT16:  # TFLite Micro copies these in any case
        node.expect_same_quantization()
