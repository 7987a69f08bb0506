"""Write operators that ONNX defines as functions of others as these definitions.

    Mish(x)    becomes    Mul(x, Tanh(Softplus(x)))

Some definitions depend on the types of the operands, so the graph keeps those that ONNX infers.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import onnx
from msgspec.structs import replace
from onnx import defs, helper, inliner, numpy_helper, shape_inference

from forebay.frontends.onnx.model.graph import NO_OPERAND, Graph, OnnxOperator
from forebay.frontends.onnx.model.read import read_operator

_NUMBERS = {
    "value_float": np.float32,
    "value_floats": np.float32,
    "value_int": np.int64,
    "value_ints": np.int64,
}
"""Attributes of Constant with one number or several."""


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
    write because it does not know the type of an operand, or that consists of the operator itself.
    """
    names = [name for name in dict.fromkeys(operator.inputs) if name != NO_OPERAND]
    results = [name for name in operator.outputs if name != NO_OPERAND]
    made = helper.make_graph(
        [_with_defaults(graph.opset, operator)],
        "part",
        [helper.make_value_info(n, types[n]) for n in names if n in types],
        [helper.make_empty_tensor_value_info(n) for n in results],
    )
    version = _version_of_definition(graph.opset, operator.kind)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", version)])
    only = [("", operator.kind), ("", "CastLike")]
    try:
        inlined = inliner.inline_selected_functions(model, only, inline_schema_functions=True)
    except RuntimeError:  # the inliner needs the type of each operand
        return []
    nodes = inlined.graph.node
    if any(n.op_type == operator.kind or any(a.HasField("g") for a in n.attribute) for n in nodes):
        return []
    outer = {NO_OPERAND, *names, *results}
    for node in nodes:
        _write_numbers_as_tensors(node)
        for fields in (node.input, node.output):
            fields[:] = [n if n in outer else f"{results[0]}/{n}" for n in fields]
    inferred = shape_inference.infer_shapes(inlined).graph
    types.update({info.name: info.type for info in inferred.value_info})
    found = [read_operator(operator.index, node, graph.file_name) for node in nodes]
    return [replace(tensor, name=operator.name) for tensor in found]


def _version_of_definition(opset: int, kind: str) -> int:
    """Return the opset in which ONNX writes a definition.

    ONNX gives the definitions of Selu, Softsign and other functions of one element in opset 18
    only, although these functions are older. What is in them means the same in older opsets.
    """
    schema: Any = defs.get_schema(kind, opset)
    written = schema.function_opset_versions
    return opset if not written or opset >= min(written) else min(written)


def _write_numbers_as_tensors(node: Any) -> None:
    """Write a Constant with a tensor, as numbers are attributes since opset 12 only."""
    for attribute in list(node.attribute):
        dtype = _NUMBERS.get(attribute.name)
        if node.op_type == "Constant" and dtype is not None:
            value = np.array(helper.get_attribute_value(attribute), dtype)
            node.attribute.remove(attribute)
            node.attribute.append(helper.make_attribute("value", numpy_helper.from_array(value)))


def _with_defaults(opset: int, operator: OnnxOperator) -> Any:
    """Return the node with all attributes, as the inliner leaves those out that a node lacks."""
    node = onnx.NodeProto()
    node.CopyFrom(operator.proto)
    given = {attribute.name for attribute in node.attribute}
    for name, attribute in defs.get_schema(operator.kind, opset).attributes.items():
        if name not in given and attribute.default_value.name:
            node.attribute.append(attribute.default_value)
    return node
