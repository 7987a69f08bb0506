"""ADD_N: the sum of tensors of one shape, as one linalg.generic.

Source: TFLite Micro `add_n.cc`, TFLite `reference/add_n.h`.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from mlir import ir

from forebay.frontends.elementwise import map_elements
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.kernels.scaled_terms import ScaledTerms
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import document, operator
from forebay.lowering.kernels import scalar

_MOST = 128
_TYPES = (ElementType.FLOAT32, ElementType.INT8)

document(
    "ADD_N",
    types="int8, float32",
    limits="one shape; int8: operands in one quantisation",
    becomes="`linalg.generic`",
    exact="yes",
)


@operator("ADD_N", newest_version=1)
def add_n(node: Node) -> Sequence[ir.Value]:
    """Lower the sum of two and more tensors."""
    node.expect_operands(2, _MOST)
    node.expect_types(*((t,) * (node.arity + 1) for t in _TYPES))
    shape, first = node.shape(0), node.input(0)
    values = [node.value(i) for i in range(node.arity)]
    if any(emit.static_shape_of(value) != shape for value in values):
        node.malformed("its operands have different shapes")
    element = emit.mlir_type_of(node.output.type)
    if node.output.type is ElementType.FLOAT32:
        return [map_elements(values, shape, element, _in_order)]
    if any(t.quantization != first.quantization for t in node.inputs()):
        node.refuse("operands quantised unlike each other", "quantise all with one scale")
    terms = ScaledTerms.of(node, first, node.output)

    def total(ins: Sequence[ir.Value]) -> ir.Value:
        return terms.total(functools.reduce(scalar.add, map(terms.term, ins), terms.first()))

    return [map_elements(values, shape, element, total)]


def _in_order(ins: Sequence[ir.Value]) -> ir.Value:
    return functools.reduce(scalar.add, ins)
