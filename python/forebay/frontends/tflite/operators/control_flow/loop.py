"""WHILE, whose subgraphs are lowered in its place.

    few operators in all iterations    the operators of its body once per iteration
    a known number of iterations       one `scf.for`
    else                               one `scf.while`

The number is known if the condition depends on constants, and on what the iterations compute from
constants, such as a counter. The operators of such values are computed during the import. Tensors
that the body passes on as they are stay outside of the loop.
Source: TFLite Micro `while.cc`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.dialects import arith, scf, tensor
from msgspec import Struct

from forebay.frontends.errors import UnsupportedModel
from forebay.frontends.tflite.dependencies import inputs_for
from forebay.frontends.tflite.file.options import OperatorOptions, SchemaInt32
from forebay.frontends.tflite.file.schema import ElementType, TfliteTensor
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import Result, document, operator

_UNROLLED = 100
"""The most operators in all iterations that are lowered one after the other."""
_LONGEST = 10_000
"""The most where the body cannot be lowered once, for a position that is not constant."""


class WhileOptions(OperatorOptions, frozen=True):
    """WHILE."""

    cond_subgraph_index: SchemaInt32
    body_subgraph_index: SchemaInt32


document(
    "WHILE",
    types="all below",
    limits="no state in subgraphs, one shape of each tensor in all iterations",
    becomes="the operators of its body, `scf.for` or `scf.while`",
    exact="yes",
)


@operator("WHILE", newest_version=1)
def while_(node: Node) -> Sequence[Result]:
    """Lower the loop."""
    options = node.options(WhileOptions)
    loop = _loop(node, options.cond_subgraph_index, options.body_subgraph_index)
    count = _count(loop)
    if count is None:
        return loop.results(_while(loop))
    operators = count.iterations * len(node.graph(loop.body).operators)
    if operators <= _UNROLLED:
        return _unrolled(loop, count.iterations)
    try:
        results = _for(loop, count.iterations)
    except UnsupportedModel:
        if operators > _LONGEST:
            raise
        return _unrolled(loop, count.iterations)
    known = {i: node.result(tensor) for i, tensor in count.known.items()}
    return [known.get(i, result) for i, result in enumerate(loop.results(results))]


class _Loop(Struct, frozen=True, eq=False):
    """The subgraphs, and the positions of the tensors that the body changes."""

    node: Node
    condition: int
    body: int
    varying: tuple[int, ...]

    @property
    def operands(self) -> list[TfliteTensor]:
        """The tensors before the first iteration."""
        return self.node.inputs()

    def with_values(self, values: Sequence[ir.Value]) -> list[TfliteTensor]:
        """Return the tensors of an iteration, where the varying ones have these values."""
        tensors = self.operands
        for i, value in zip(self.varying, values, strict=True):
            tensors[i] = self.node.of_value(tensors[i], value)
        return tensors

    def results(self, values: Sequence[ir.Value]) -> list[Result]:
        """Return the results of the operator, where the varying ones have these values."""
        found = dict(zip(self.varying, values, strict=True))
        return [found.get(i, self.node.result(t)) for i, t in enumerate(self.operands)]


class _Count(Struct, frozen=True, eq=False):
    """The number of iterations, and the tensors by position that are known after the last one."""

    iterations: int
    known: dict[int, TfliteTensor]


def _loop(node: Node, condition: int, body: int) -> _Loop:
    graph, operands = node.graph(body), node.inputs()
    if not len(graph.inputs) == len(graph.outputs) == len(operands) == len(node.outputs):
        node.malformed(f"subgraph {body} has {len(graph.outputs)} results")
    pairs = enumerate(zip(graph.inputs, graph.outputs, strict=True))
    return _Loop(node, condition, body, tuple(i for i, (before, after) in pairs if before != after))


def _count(loop: _Loop) -> _Count | None:
    """Return the number of iterations; None if it depends on data."""
    node, needed = loop.node, _deciding(loop)
    tensors, iterations = loop.operands, 0
    while all(tensors[i].data is not None for i in needed):
        (condition,) = _checked_condition(node, node.subgraph(loop.condition, tensors))
        if condition.data is None:
            return None
        if not condition.data.reshape(-1)[0]:
            return _Count(iterations, {i: tensors[i] for i in needed})
        results = node.subgraph(loop.body, tensors, needed)
        for i, result in zip(needed, results, strict=True):
            tensors[i] = result
        iterations += 1
    return None


def _deciding(loop: _Loop) -> tuple[int, ...]:
    """Return the positions of the tensors on which the condition depends, in all iterations."""
    condition, body = (loop.node.graph(index) for index in (loop.condition, loop.body))
    found = set(inputs_for(condition, condition.outputs))
    while True:
        more = found.union(inputs_for(body, [body.outputs[i] for i in found]))
        if more == found:
            return tuple(sorted(found))
        found = more


def _unrolled(loop: _Loop, iterations: int) -> Sequence[Result]:
    tensors = loop.operands
    for _ in range(iterations):
        tensors = loop.node.subgraph(loop.body, tensors)
        _check_types(loop.node, tensors)
    return [loop.node.result(tensor) for tensor in tensors]


def _for(loop: _Loop, iterations: int) -> Sequence[ir.Value]:
    """Build the loop; an `UnsupportedModel` leaves nothing of it behind."""
    index = ir.IndexType.get()
    first, last, step = (arith.ConstantOp(index, n).result for n in (0, iterations, 1))
    op = scf.ForOp(first, last, step, _initial(loop))
    try:
        with loop.node.constants_before(op.operation), ir.InsertionPoint(op.body):
            scf.YieldOp(_iteration(loop, list(op.inner_iter_args)))
    except UnsupportedModel:
        op.operation.erase()
        raise
    return list(op.results)


def _while(loop: _Loop) -> Sequence[ir.Value]:
    node, initial = loop.node, _initial(loop)
    types = [value.type for value in initial]
    op = scf.WhileOp(types, initial)
    locations = [ir.Location.current] * len(types)
    before, after = (r.blocks.append(*types, arg_locs=locations) for r in op.regions)
    with node.constants_before(op.operation):
        with ir.InsertionPoint(before):
            values = list(before.arguments)
            scf.ConditionOp(_condition(loop, values), values)
        with ir.InsertionPoint(after):
            scf.YieldOp(_iteration(loop, list(after.arguments)))
    return list(op.results)


def _initial(loop: _Loop) -> list[ir.Value]:
    tensors = loop.operands
    return [loop.node.value_of(tensors[i]) for i in loop.varying]


def _condition(loop: _Loop, values: Sequence[ir.Value]) -> ir.Value:
    """Return the condition as an i1."""
    results = loop.node.subgraph(loop.condition, loop.with_values(values))
    value = loop.node.value_of(*_checked_condition(loop.node, results))
    zero = arith.ConstantOp(ir.IndexType.get(), 0).result
    return tensor.ExtractOp(value, [zero] * len(emit.static_shape_of(value))).result


def _iteration(loop: _Loop, values: Sequence[ir.Value]) -> list[ir.Value]:
    """Lower the body once, and return the varying values after it."""
    node = loop.node
    results = node.subgraph(loop.body, loop.with_values(values))
    _check_types(node, results)
    found = [node.value_of(results[i]) for i in loop.varying]
    for i, old, new in zip(loop.varying, values, found, strict=True):
        if old.type != new.type:
            shapes = [list(emit.static_shape_of(v)) for v in (old, new)]
            node.refuse(
                f"'{node.input(i).name}' of shape {shapes[0]} before an iteration and {shapes[1]} "
                "behind it",
                "use one shape",
            )
    return found


def _checked_condition(node: Node, results: Sequence[TfliteTensor]) -> Sequence[TfliteTensor]:
    if len(results) != 1 or results[0].type is not ElementType.BOOL:
        node.malformed("its condition is not one value of type BOOL")
    data = results[0].data
    size = np.prod(emit.static_shape_of(node.value_of(results[0])) if data is None else data.shape)
    if size != 1:
        node.malformed(f"its condition has {size} elements")
    return results


def _check_types(node: Node, results: Sequence[TfliteTensor]) -> None:
    if [t.type for t in results] != [t.type for t in node.outputs]:
        names = ", ".join(t.type_name for t in results)
        node.refuse(f"results of its subgraph of types {names}", "use the types of its results")
