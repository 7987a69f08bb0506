"""Write Gemm in the form that has integer operators: constant weights, rows of operand 0, one bias.

transA                        Gemm(Transpose(a), b, c)
weights or bias of any form   beta * c + alpha * MatMul(a, b)
"""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from forebay.frontends.onnx.model.graph import NO_OPERAND, Graph, OnnxOperator, OnnxTensor
from forebay.frontends.onnx.model.read import make_operator


def plain_gemms(graph: Graph) -> Graph:
    """Return the graph with other operators in place of a Gemm of another form."""
    tensors = dict(graph.tensors)
    producers = graph.producers()
    operators: list[OnnxOperator] = []

    def is_constant(name: str) -> bool:
        """Return whether a tensor is constant, or a constant that is dequantised."""
        made_by = producers.get(name)
        if made_by is not None and made_by.kind == "DequantizeLinear":
            name = made_by.operand(0)
        return graph.constant(name) is not None

    for operator in graph.operators:
        if operator.kind != "Gemm":
            operators.append(operator)
        elif not is_constant(operator.operand(1)) or not _is_vector(graph, operator):
            operators += _products(operator, tensors)
        elif operator.attributes.get("transA", 0):
            operators += _transposed(operator)
        else:
            operators.append(operator)
    return replace(graph, tensors=tensors).with_operators(operators)


def _is_vector(graph: Graph, operator: OnnxOperator) -> bool:
    """Return whether the bias may be one of the integer operator; other forms are of floats."""
    name = operator.operand(2)
    if name == NO_OPERAND or name not in graph.tensors:
        return name == NO_OPERAND or name in graph.producers()
    data = graph.constant(name)
    return data is not None and (data.size == 1 or data.size == max(data.shape[-1:], default=1))


def _transposed(operator: OnnxOperator) -> list[OnnxOperator]:
    name = f"{operator.outputs[0]}/transposed"
    source = make_operator(operator, "Transpose", operator.inputs[:1], (name,), perm=[1, 0])
    attributes = {**operator.attributes, "transA": 0}
    inputs = (name, *operator.inputs[1:])
    return [source, make_operator(operator, "Gemm", inputs, operator.outputs, **attributes)]


def _products(operator: OnnxOperator, tensors: dict[str, OnnxTensor]) -> list[OnnxOperator]:
    """Return the product, and the factors and the addition where they change something."""
    result = operator.outputs[0]
    parts: list[OnnxOperator] = []

    def add(kind: str, inputs: tuple[str, ...], **attributes: object) -> str:
        name = f"{result}/part{len(parts)}"
        parts.append(make_operator(operator, kind, inputs, (name,), **attributes))
        return name

    def scaled(name: str, attribute: str) -> str:
        factor = float(operator.attributes.get(attribute, 1.0))
        if factor == 1.0:
            return name
        constant = f"{result}/{attribute}"
        tensors[constant] = OnnxTensor(
            constant, np.dtype(np.float32), (), np.array(factor, np.float32)
        )
        return add("Mul", (name, constant))

    a, b = (
        add("Transpose", (name,), perm=[1, 0]) if operator.attributes.get(attribute, 0) else name
        for name, attribute in zip(operator.inputs[:2], ("transA", "transB"), strict=True)
    )
    product = scaled(add("MatMul", (a, b)), "alpha")
    if operator.operand(2) == NO_OPERAND:
        parts.append(make_operator(operator, "Identity", (product,), (result,)))
    else:
        bias = scaled(operator.inputs[2], "beta")
        parts.append(make_operator(operator, "Add", (product, bias), (result,)))
    return parts
