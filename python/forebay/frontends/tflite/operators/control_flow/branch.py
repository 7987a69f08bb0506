"""IF, whose subgraphs are lowered in its place.

IF on a constant condition    the operators of one subgraph
IF                            the operators of both subgraphs, and one `linalg.generic` per
                              result, which selects
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.dialects import arith

from forebay.frontends.elementwise import map_elements, single_result
from forebay.frontends.tflite.file.options import OperatorOptions, SchemaInt32
from forebay.frontends.tflite.file.schema import ElementType, TfliteTensor
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import Result, document, operator


class IfOptions(OperatorOptions, frozen=True):
    """IF."""

    then_subgraph_index: SchemaInt32
    else_subgraph_index: SchemaInt32


document(
    "IF",
    types="all below",
    limits="no state in subgraphs",
    becomes="the operators of its subgraphs; an IF on data computes both, and selects by "
    "`linalg.generic`",
    exact="yes",
)


@operator("IF", newest_version=1)
def if_(node: Node) -> Sequence[Result]:
    """Lower one subgraph, or both and a choice."""
    options = node.options(IfOptions)
    if node.arity < 1:
        node.malformed("it has no condition")
    condition, *operands = node.inputs()
    branches = (options.then_subgraph_index, options.else_subgraph_index)
    if condition.data is not None:
        taken = branches[0] if _holds(node, condition) else branches[1]
        return [node.result(t) for t in _run(node, taken, operands)]
    if condition.type is not ElementType.BOOL:
        node.malformed(f"its condition is of type {condition.type_name}")
    then, otherwise = (_run(node, branch, operands) for branch in branches)
    pairs = zip(then, otherwise, node.outputs, strict=True)
    return [_chosen(node, a, b, result) for a, b, result in pairs]


def _run(node: Node, subgraph: int, operands: Sequence[TfliteTensor]) -> list[TfliteTensor]:
    results = node.subgraph(subgraph, operands)
    _check(node, results)
    return results


def _check(node: Node, results: Sequence[TfliteTensor]) -> None:
    types = [t.type for t in results]
    if types != [t.type for t in node.outputs]:
        names = ", ".join(t.type_name for t in results)
        node.refuse(f"results of its subgraph of types {names}", "use the types of its results")


def _holds(node: Node, condition: TfliteTensor) -> bool:
    if condition.data is None or condition.type is not ElementType.BOOL:
        node.malformed("its condition is not one value of type BOOL")
    if condition.data.size != 1:
        node.malformed(f"its condition has {condition.data.size} elements")
    return bool(np.asarray(condition.data).reshape(-1)[0])


def _chosen(node: Node, then: TfliteTensor, other: TfliteTensor, to: TfliteTensor) -> ir.Value:
    values = [node.value_of(then), node.value_of(other)]
    shapes = [emit.static_shape_of(value) for value in values]
    if shapes[0] != shapes[1]:
        node.refuse(f"branches of shapes {list(shapes[0])} and {list(shapes[1])}", "use one shape")
    if math.prod(node.shape(0)) != 1:
        node.malformed(f"its condition has the shape {list(node.shape(0))}")
    condition = emit.tosa_reshape(node.value(0), [1] * len(shapes[0]))
    element = emit.mlir_type_of(to.type)
    return map_elements(
        [condition, *values],
        shapes[0],
        element,
        lambda ins: single_result(arith.SelectOp(*ins)),
    )
