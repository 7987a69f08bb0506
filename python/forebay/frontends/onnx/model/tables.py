"""Functions of one stored integer become tables, computed by ONNX's reference evaluator.

x: int8 -> DequantizeLinear -> Sigmoid -> Mul -> QuantizeLinear -> y: int8
                         \\________________/
becomes y = table[x], where the table holds the result of the same operators for all 256 values
"""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from forebay.frontends.onnx.model.evaluate import evaluate_operators
from forebay.frontends.onnx.model.graph import (
    NO_OPERAND,
    Graph,
    OnnxOperator,
    OnnxQuantization,
    OnnxTensor,
    quantization_of,
)

_ELEMENTWISE = frozenset(
    {
        *("Abs", "Add", "Cast", "Ceil", "Celu", "Clip", "Cos", "Div", "Elu", "Erf", "Exp"),
        *("Floor", "Gelu", "HardSigmoid", "HardSwish", "Identity", "LeakyRelu", "Log", "Max"),
        *("Min", "Mish", "Mul", "Neg", "PRelu", "Pow", "Reciprocal", "Relu", "Round", "Selu"),
        *("Sigmoid", "Sign", "Sin", "Softplus", "Softsign", "Sqrt", "Sub", "Swish", "Tanh"),
        *("ThresholdedRelu", "BiasGelu", "QuickGelu", "FastGelu"),
    }
)
_LONGEST = 32


def make_tables(graph: Graph) -> Graph:
    """Return the graph with an operator `Table` for each function of one stored integer."""
    tensors = dict(graph.tensors)
    producers = graph.producers()
    made: list[OnnxOperator] = []
    for operator in graph.operators:
        part = _part_of(graph, producers, operator)
        made.append(operator if part is None else _table(graph, tensors, operator, part))
    return replace(graph, tensors=tensors).with_operators(made)


def _part_of(
    graph: Graph, producers: dict[str, OnnxOperator], operator: OnnxOperator
) -> list[OnnxOperator] | None:
    """Return the operators from DequantizeLinear to the QuantizeLinear, None if not a function."""
    if operator.kind != "QuantizeLinear" or not _is_simple(quantization_of(graph, operator)):
        return None
    found: dict[str, OnnxOperator] = {}
    pending = [operator.inputs[0]]
    while pending:
        name = pending.pop()
        producer = producers.get(name)
        if name in found:
            continue
        operands = _operands(graph, producer) if producer is not None else None
        if producer is None or operands is None or len(found) > _LONGEST:
            return None
        found[name] = producer
        pending += operands
    sources = {o.inputs[0] for o in found.values() if o.kind == "DequantizeLinear"}
    if len(sources) != 1 or graph.constant(next(iter(sources))) is not None:
        return None
    order = {id(o): i for i, o in enumerate(graph.operators)}
    return [*sorted(found.values(), key=lambda o: order[id(o)]), operator]


def _operands(graph: Graph, operator: OnnxOperator) -> list[str] | None:
    """Return the computed operands, None where the operator is no function of one element."""
    if operator.kind == "DequantizeLinear":
        return [] if _is_simple(quantization_of(graph, operator)) else None
    if operator.kind not in _ELEMENTWISE or len(operator.outputs) != 1:
        return None
    data = [(n, graph.constant(n)) for n in operator.inputs if n != NO_OPERAND]
    if any(d is not None and d.size != 1 for _, d in data):
        return None
    return [n for n, d in data if d is None]


def _is_simple(quantization: OnnxQuantization | None) -> bool:
    return (
        quantization is not None
        and quantization.is_per_tensor
        and quantization.dtype.name in ("int8", "uint8")
    )


def _table(
    graph: Graph, tensors: dict[str, OnnxTensor], operator: OnnxOperator, part: list[OnnxOperator]
) -> OnnxOperator:
    source = next(o for o in part if o.kind == "DequantizeLinear")
    quantization = quantization_of(graph, source)
    assert quantization is not None
    limits = np.iinfo(quantization.dtype)
    feeds = {n: graph.constant(n) for o in part for n in o.inputs if n != NO_OPERAND}
    known = {n: data for n, data in feeds.items() if data is not None}
    known[source.inputs[0]] = np.arange(limits.min, limits.max + 1).astype(quantization.dtype)
    entries = evaluate_operators(graph, part, known)[operator.outputs[0]].reshape(-1)
    name = f"{operator.outputs[0]}/table"
    tensors[name] = OnnxTensor(name, entries.dtype, entries.shape, entries)
    shown = part[1] if len(part) > 2 else operator
    return OnnxOperator(
        shown.index, "Table", shown.name, (source.inputs[0], name), operator.outputs
    )
