"""SHAPE, RANK and ZEROS_LIKE: shapes are known during the import, so these are constants."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from forebay.frontends.tflite.file.options import OperatorOptions, SchemaInt8
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import document, operator


class ShapeOptions(OperatorOptions, frozen=True):
    """SHAPE."""

    out_type: SchemaInt8


document(
    "SHAPE",
    "RANK",
    "ZEROS_LIKE",
    types="operand of any type",
    becomes="a constant",
    exact="yes",
    golden="TFLite Micro; RANK: LiteRT",
)


@operator("SHAPE", newest_version=1)
def shape(node: Node) -> Sequence[NDArray[np.generic]]:
    """Return the shape of the operand."""
    node.expect_operands(1)
    if node.output.type not in (ElementType.INT32, ElementType.INT64):
        node.malformed(f"its result is of type {node.output.type_name}")
    return [np.array(node.shape(0), node.output.type.value)]


@operator("RANK", newest_version=1)
def rank(node: Node) -> Sequence[NDArray[np.generic]]:
    """Return the number of dimensions of the operand."""
    node.expect_operands(1)
    if node.output.type is not ElementType.INT32:
        node.malformed(f"its result is of type {node.output.type_name}")
    return [np.array(len(node.shape(0)), np.int32)]


@operator("ZEROS_LIKE", newest_version=1)
def zeros_like(node: Node) -> Sequence[NDArray[np.generic]]:
    """Return zeros in the shape of the operand."""
    node.expect_operands(1)
    known = (ElementType.INT8, ElementType.INT32, ElementType.INT64, ElementType.FLOAT32)
    node.expect_types(*((t, t) for t in known))
    node.expect_size(node.shape(0))
    stored = -128 if node.output.was_unsigned else 0
    return [np.full(node.shape(0), stored, node.output.type.value)]
