"""Subgraphs and masks: IF, WHILE of known counts, SELECT_V2 with broadcasting.

A subgraph is a drawing of its own, whose result gets the shape and the quantisation of its place.
"""

from __future__ import annotations

import numpy as np
from common.model_file import Graph, Op, T

from fuzz.graphs.drawing import Drawing, Value
from fuzz.graphs.more_operators import MORE_KINDS
from fuzz.graphs.operators import KINDS, Draw

MOST_ITERATIONS = 3


def conditional(d: Drawing) -> None:
    """IF on an element of a value, or on a constant."""
    x = d.pick()
    if x is None or not x.shape:
        return
    out = d.value(x.shape, d.scale(), d.zero_point())
    condition = _element_is_above(d, x) if d.rng.random() < 0.8 else _constant_condition(d)
    branches = [d.add_subgraph(_graph_of(d, x, out)) for _ in range(2)]
    fields = dict(zip(("ThenSubgraphIndex", "ElseSubgraphIndex"), branches, strict=True))
    d.emit("IF", [condition, x.index], [out], "IfOptions", **fields)


def loop(d: Drawing) -> None:
    """WHILE of a known number of iterations: a counter, and a value that each one replaces."""
    x = d.pick()
    if x is None or not x.shape:
        return
    count, out = d.rng.randint(0, MOST_ITERATIONS), d.value(x.shape, *x.quantization)
    body = _graph_of(d, x, out)
    at = len(body.tensors)
    counters = [T((), "int32"), T((), "int32", data=np.array(1, np.int32)), T((), "int32")]
    fields = {"FusedActivationFunction": 0}
    following = Op("ADD", [at, at + 1], [at + 2], "AddOptions", fields)
    body = Graph(
        [*body.tensors, *counters],
        [at, *body.inputs],
        [at + 2, *body.outputs],
        [*body.operators, following],
    )
    limit = T((), "int32", data=np.array(count, np.int32))
    condition = Graph(
        [T((), "int32"), _as_tensor(x), limit, T((), "bool")],
        [0, 1],
        [3],
        [Op("LESS", [0, 2], [3], "LessOptions")],
    )
    fields = {
        "CondSubgraphIndex": d.add_subgraph(condition),
        "BodySubgraphIndex": d.add_subgraph(body),
    }
    start = d.tensor(T((), "int32", data=np.array(0, np.int32)))
    results = [d.tensor(T((), "int32")), out.index]
    d.operators.append(Op("WHILE", [start, x.index], results, "WhileOptions", fields))
    d.values.append(out)


def masked(d: Drawing) -> None:
    """SELECT_V2 whose mask or second operand is broadcast."""
    x = d.pick()
    if x is None or not x.shape:
        return
    shape = [1 if d.rng.random() < 0.3 else n for n in x.shape]
    y = d.constant(shape[d.rng.randint(0, len(shape) - 1) :], *x.quantization)
    kept = [1 if d.rng.random() < 0.3 else n for n in x.shape]
    if d.rng.random() < 0.5:
        mask = d.tensor(T(x.shape, "bool"))
        limit = d.constant((1,), *x.quantization)
        d.operators.append(Op("GREATER_EQUAL", [x.index, limit.index], [mask]))
    else:
        data = np.array([d.rng.random() < 0.5 for _ in range(int(np.prod(kept)))])
        mask = d.tensor(T(kept, "bool", data=data.reshape(kept)))
    out = d.value(x.shape, *x.quantization)
    operands = [x.index, y.index]
    d.rng.shuffle(operands)
    d.emit("SELECT_V2", [mask, *operands], [out], "SelectV2Options")


def _element_is_above(d: Drawing, x: Value) -> int:
    """A comparison of an element of the value, `[1, ...]`."""
    begin = [d.rng.randrange(n) for n in x.shape]
    ones = [1] * len(x.shape)
    element = d.value(ones, *x.quantization)
    d.emit("SLICE", [x.index, d.integers(begin), d.integers(ones)], [element], "SliceOptions")
    limit = d.constant((1,), *x.quantization)
    condition = d.tensor(T(ones, "bool"))
    d.operators.append(Op("GREATER", [element.index, limit.index], [condition], "GreaterOptions"))
    return condition


def _constant_condition(d: Drawing) -> int:
    return d.tensor(T((1,), "bool", data=np.array([d.rng.random() < 0.5])))


def _graph_of(d: Drawing, x: Value, out: Value) -> Graph:
    """A subgraph from a value like `x` to one like `out`."""
    inner = Drawing(d.rng)
    source = inner.value(x.shape, *x.quantization)
    inner.values.append(source)
    kinds: list[Draw] = [*KINDS, *MORE_KINDS]
    for _ in range(d.rng.choice([1, 2, 3])):
        d.rng.choice(kinds)(inner)
    alike = [v for v in inner.values if v.shape == x.shape and not inner.is_constant(v)]
    result = inner.value(out.shape, *out.quantization)
    inner.emit("QUANTIZE", [alike[-1].index], [result])
    return Graph(inner.tensors, [source.index], [result.index], inner.operators)


def _as_tensor(x: Value) -> T:
    return T(x.shape, "int8", x.scale, x.zero_point)


CONTROL_KINDS: list[Draw] = [conditional, loop, masked]
