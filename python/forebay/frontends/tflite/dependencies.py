"""The operators and inputs that tensors of a subgraph depend on."""

from __future__ import annotations

from collections.abc import Iterable

from forebay.frontends.tflite.file.schema import Subgraph, TfliteOperator


def operators_for(graph: Subgraph, tensors: Iterable[int]) -> tuple[TfliteOperator, ...]:
    """Return the operators that these tensors depend on, in the order of execution."""
    needed, found = set(tensors), list[TfliteOperator]()
    for operator in reversed(graph.operators):
        if not needed.isdisjoint(operator.outputs):
            needed.update(operator.inputs)
            found.append(operator)
    return tuple(reversed(found))


def inputs_for(graph: Subgraph, tensors: Iterable[int]) -> tuple[int, ...]:
    """Return the positions of the inputs that these tensors depend on."""
    needed = set(tensors)
    for operator in operators_for(graph, needed):
        needed.update(operator.inputs)
    return tuple(i for i, tensor in enumerate(graph.inputs) if tensor in needed)
