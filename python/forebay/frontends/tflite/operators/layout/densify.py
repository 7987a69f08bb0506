"""DENSIFY: the reader has expanded the sparse constant (`file/sparsity.py`)."""

from __future__ import annotations

from collections.abc import Sequence

from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import Result, document, operator

document(
    "DENSIFY",
    types="sparse constants of all below",
    becomes="a constant",
    exact="yes",
    golden="LiteRT",
)


@operator("DENSIFY", newest_version=1)
def densify(node: Node) -> Sequence[Result]:
    """Return the elements of the constant."""
    node.expect_operands(1)
    source = node.input(0)
    if source.type is not node.output.type:
        node.malformed(f"its result is of type {node.output.type_name}, not {source.type_name}")
    return [node.constant(0) if source.data is None else source.data]
