"""Results in the rows of an operand that dies there, element by element."""

from __future__ import annotations

from dataclasses import replace

from forebay.cascade.graph import RowAccess, RowGraph, RowOperator, RowTensor


def merged_in_place(graph: RowGraph) -> tuple[RowGraph, dict[int, int]]:
    """Return the graph with results in the rows of operands, and the operand of each such result.

    An operand is taken if the operator is the last one that accesses it: one without other readers
    before one that others have read. Tensors keep their numbers; a merged one has no user.
    """
    target: dict[int, int] = {}
    tensors = list(graph.tensors)
    for number, op in enumerate(graph.operators):
        if len(op.writes) != 1 or len(graph.writers[op.writes[0].tensor]) != 1:
            continue
        result = op.writes[0].tensor
        choices = [t for t in op.in_place if _may_hold(graph, number, t, result)]
        choices = [t for t in choices if _fits(tensors, _root(target, t), result)]
        if choices:
            operand = _root(target, min(choices, key=lambda t: len(graph.readers[t])))
            target[result] = operand
            tensors[operand] = _joined(tensors[operand], tensors[result])
    roots = {result: _root(target, result) for result in target}
    operators = tuple(_renamed(op, roots) for op in graph.operators)
    return RowGraph(tuple(tensors), operators), roots


def _may_hold(graph: RowGraph, number: int, operand: int, result: int) -> bool:
    """Return whether no later operator accesses the operand, and it is no output."""
    users = (*graph.readers[operand], *graph.writers[operand])
    first = min(graph.readers[result], default=number + 1)
    return max(users) == number < first and not graph.tensors[operand].is_output


def _fits(tensors: list[RowTensor], operand: int, result: int) -> bool:
    one, two = tensors[operand], tensors[result]
    return (
        one.row_bytes == two.row_bytes > 0
        and one.rows == two.rows
        and not (one.is_contiguous and two.is_contiguous)
        and not one.is_output
    )


def _joined(operand: RowTensor, result: RowTensor) -> RowTensor:
    return replace(
        operand,
        is_output=result.is_output,
        is_contiguous=operand.is_contiguous or result.is_contiguous,
    )


def _root(target: dict[int, int], tensor: int) -> int:
    while tensor in target:
        tensor = target[tensor]
    return tensor


def _renamed(op: RowOperator, roots: dict[int, int]) -> RowOperator:
    def renamed(access: RowAccess) -> RowAccess:
        return replace(access, tensor=roots.get(access.tensor, access.tensor))

    return replace(op, reads=tuple(map(renamed, op.reads)), writes=tuple(map(renamed, op.writes)))
