"""Copies of subgraphs, whose tensors are appended to those of the network.

A constant of a subgraph is appended once, every other tensor with each copy. The operators of a
copy have the index of the operator that names the subgraph, because messages count the network's.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from forebay.frontends.tflite.file.schema import (
    ABSENT,
    ElementType,
    Model,
    Subgraph,
    TfliteTensor,
)
from forebay.frontends.tflite.lowering.scope import NamingOperator

MOST_OPERATORS = 10_000
"""The number of operators in all copies, above which a network is refused."""


class SubgraphCopies:
    """Makes the copies of one network."""

    def __init__(self, model: Model, tensors: list[TfliteTensor]) -> None:
        self._subgraphs = model.subgraphs
        self._tensors = tensors
        self._constants: dict[tuple[int, int], int] = {}
        self._graphs: dict[int, Subgraph] = {}
        self._operators = 0

    def graph(self, node: NamingOperator, index: int) -> Subgraph:
        """Return the subgraph that the node names, on its own tensors."""
        known = self._graphs.get(index)
        if known is None:
            from forebay.frontends.tflite.row_updates import with_row_updates  # noqa: PLC0415

            known = self._graphs[index] = with_row_updates(self._checked(node, index))
        return known

    def copy(
        self, node: NamingOperator, index: int, results: Sequence[int] | None = None
    ) -> Subgraph:
        """Return the subgraph that the node names, on new tensors.

        `results` are the positions of the results that are wanted, None for all. The copy has the
        operators that compute them.
        """
        graph = self.graph(node, index)
        if results is not None:
            from forebay.frontends.tflite.dependencies import operators_for  # noqa: PLC0415

            outputs = tuple(graph.outputs[i] for i in results)
            graph = replace(graph, outputs=outputs, operators=operators_for(graph, outputs))
        self._count(node, graph)
        places = [self._append(index, tensor) for tensor in graph.tensors]

        def moved(tensors: tuple[int, ...]) -> tuple[int, ...]:
            return tuple(t if t == ABSENT else places[t] for t in tensors)

        operators = tuple(
            replace(
                operator,
                index=node.operator.index,
                inputs=moved(operator.inputs),
                outputs=moved(operator.outputs),
            )
            for operator in graph.operators
        )
        return Subgraph((), moved(graph.inputs), moved(graph.outputs), operators)

    def _append(self, graph: int, tensor: TfliteTensor) -> int:
        known = self._constants.get((graph, tensor.index))
        if known is not None:
            return known
        place = len(self._tensors)
        self._tensors.append(replace(tensor, index=place))
        if tensor.data is not None:
            self._constants[graph, tensor.index] = place
        return place

    def _checked(self, node: NamingOperator, index: int) -> Subgraph:
        if not 0 < index < len(self._subgraphs):
            node.malformed(f"it names subgraph {index} of {len(self._subgraphs)}")
        graph = self._subgraphs[index]
        if any(t.is_variable or t.type is ElementType.RESOURCE for t in graph.tensors):
            node.refuse(f"state in its subgraph {index}", "keep state outside of it")
        return graph

    def _count(self, node: NamingOperator, graph: Subgraph) -> None:
        self._operators += max(1, len(graph.operators))
        if self._operators > MOST_OPERATORS:
            node.refuse(
                f"more than {MOST_OPERATORS:,} operators, each iteration counted",
                "shorten the loop, or convert the layer without one",
            )
