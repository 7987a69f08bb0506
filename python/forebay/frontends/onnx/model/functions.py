"""Write operators that ONNX defines as functions of others as these definitions.

    Mish(x)    becomes    Mul(x, Tanh(Softplus(x)))

Some definitions depend on the types of the operands, so the graph keeps those that ONNX infers.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import onnx
from msgspec.structs import replace
from onnx import defs, helper, inliner, shape_inference

from forebay.frontends.onnx.model.graph import NO_OPERAND, Graph, OnnxOperator
from forebay.frontends.onnx.model.read import read_operator


def expand_functions(graph: Graph, supported: Collection[str]) -> Graph:
    """Return the graph with definitions in place of operators that are not supported."""
    types = dict(graph.types)
    operators: list[OnnxOperator] = []
    pending = list(reversed(graph.operators))
    while pending:
        operator = pending.pop()
        parts: list[OnnxOperator] = []
        if operator.kind not in supported and _is_function(graph.opset, operator, types):
            parts = _definition(graph, operator, types)
        if parts:
            pending += reversed(parts)
        else:
            operators.append(operator)
    return replace(graph, types=types).with_operators(operators)


def _is_function(opset: int, operator: OnnxOperator, types: Mapping[str, Any]) -> bool:
    proto = operator.proto
    if proto is None or proto.domain or not defs.has(operator.kind, opset):
        return False
    schema: Any = defs.get_schema(operator.kind, opset)
    known = all(name in types for name in operator.inputs if name != NO_OPERAND)
    return schema.has_function or (schema.has_context_dependent_function and known)


def _definition(graph: Graph, operator: OnnxOperator, types: dict[str, Any]) -> list[OnnxOperator]:
    """Return the operators of the definition, and add the types of their tensors.

    The tensors of the definition are named after the first result. A definition with a loop is
    none: such operators are of constants, as Range, or not supported. Nor is one that ONNX cannot
    write because it does not know the type of an operand.
    """
    names = [name for name in dict.fromkeys(operator.inputs) if name != NO_OPERAND]
    results = [name for name in operator.outputs if name != NO_OPERAND]
    made = helper.make_graph(
        [_with_defaults(graph.opset, operator)],
        "part",
        [helper.make_value_info(n, types[n]) for n in names if n in types],
        [helper.make_empty_tensor_value_info(n) for n in results],
    )
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", graph.opset)])
    only = [("", operator.kind)]
    try:
        inlined = inliner.inline_selected_functions(model, only, inline_schema_functions=True)
    except RuntimeError:  # the inliner needs the type of each operand
        return []
    if any(a.HasField("g") for node in inlined.graph.node for a in node.attribute):
        return []
    outer = {NO_OPERAND, *names, *results}
    for node in inlined.graph.node:
        for fields in (node.input, node.output):
            fields[:] = [n if n in outer else f"{results[0]}/{n}" for n in fields]
    inferred = shape_inference.infer_shapes(inlined).graph
    types.update({info.name: info.type for info in inferred.value_info})
    found = [read_operator(operator.index, node, graph.file_name) for node in inlined.graph.node]
    return [replace(own, name=operator.name) for own in found]


def _with_defaults(opset: int, operator: OnnxOperator) -> Any:
    """Return the node with all attributes, as the inliner leaves those out that a node lacks."""
    node = onnx.NodeProto()
    node.CopyFrom(operator.proto)
    given = {attribute.name for attribute in node.attribute}
    for name, attribute in defs.get_schema(operator.kind, opset).attributes.items():
        if name not in given and attribute.default_value.name:
            node.attribute.append(attribute.default_value)
    return node
