"""Layers with hidden state: one loop over time for each direction, of LSTM, GRU and RNN.

    x        T B I               the sequence; with `layout` 1: B T I
    gates    B G U               products of a row of x, or of a state, with all gates
    result   T D B U, B T D U    each step writes its row; no direction is copied

Both products are convolutions of 1x1, as in Gemm, and one `linalg.generic` or two compute the
states from them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from mlir import ir
from mlir.dialects import arith, scf, tensor
from mlir.dialects import math as mathlib
from msgspec import Struct
from numpy.typing import NDArray

from forebay.frontends import tosa as emit
from forebay.frontends.elementwise import map_indexed
from forebay.frontends.onnx.lowering.layout import LaidOut
from forebay.frontends.onnx.lowering.node import OnnxNode
from forebay.frontends.onnx.lowering.products import multiply_rows
from forebay.lowering.kernels import scalar

States = tuple[ir.Value, ...]
"""The states of a layer, each `[batch, units]`; the hidden one is the first."""
GateFunction = Callable[[ir.Value], ir.Value]
_WEIGHTS, _RECURRENCE, _BIAS, _LENGTHS = 1, 2, 3, 4
_ABSENT = (("clip", 0.0), ("input_forget", 0), ("activation_alpha", ()), ("activation_beta", ()))
_DIRECTIONS = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}


class Direction(Struct, frozen=True, eq=False):
    """The constants of one direction: a row of weights and a bias for each unit of each gate."""

    number: int
    is_reversed: bool
    weights: NDArray[np.float32]
    recurrence: NDArray[np.float32]
    bias: NDArray[np.float32]
    recurrent_bias: NDArray[np.float32]
    activations: tuple[GateFunction, ...]

    @property
    def units(self) -> int:
        """The number of elements of a state."""
        return self.recurrence.shape[1]


RecurrentStep = Callable[[Direction, ir.Value, States], States]
"""Builds one time step, from `[batch, inputs]` and the states."""


class SourceSequence(Struct, frozen=True, eq=False):
    """The operand of a layer."""

    value: ir.Value
    time: int
    """The dimension of the time, 0 or 1."""

    @property
    def steps(self) -> int:
        """The number of time steps."""
        return emit.static_shape_of(self.value)[self.time]

    @property
    def batch(self) -> int:
        """The number of sequences."""
        return emit.static_shape_of(self.value)[1 - self.time]


def lower_recurrent(
    node: OnnxNode,
    step: RecurrentStep,
    *,
    gates: int,
    states: Sequence[int],
    activations: Sequence[str],
) -> list[LaidOut | None]:
    """Lower a layer to its sequence of hidden states, and the last value of each state.

    `states` are the operands with the initial states, `activations` those of one direction.
    """
    node.expect_floats(0, _WEIGHTS, _RECURRENCE, _BIAS, *states)
    directions = _directions(node, gates, activations)
    source = _source(node)
    batch, units = source.batch, directions[0].units
    shape = (source.steps, len(directions), batch, units)
    if source.time:
        shape = (batch, source.steps, len(directions), units)
    result = tensor.EmptyOp(list(shape), ir.F32Type.get()).result if node.is_read(0) else None
    last: list[States] = []
    for direction in directions:
        first = tuple(_initial(node, index, source, direction) for index in states)
        result, ends = _run(source, direction, step, first, result)
        last.append(ends)
    sequence = None if result is None else LaidOut(result)
    return [sequence, *(_last(node, source, last, i) for i in range(len(states)))]


def multiplied(
    value: ir.Value, rows: NDArray[np.float32], bias: NDArray[np.float32], gates: int
) -> ir.Value:
    """Build the products `[batch, gates, units]` of `[batch, n]` with the rows of some gates."""
    batch, depth = emit.static_shape_of(value)
    sums = multiply_rows(emit.tosa_reshape(value, (batch, 1, 1, depth)), rows, bias, (0, 0))
    return emit.tosa_reshape(sums, (batch, gates, len(rows) // gates))


def state_from(
    gates: Sequence[tuple[ir.Value, int]],
    states: Sequence[ir.Value],
    compute: Callable[[Sequence[ir.Value]], ir.Value],
) -> ir.Value:
    """Compute a state from gates, each of a number, and from states or rows of constants."""
    like = next(value for value in states if len(emit.static_shape_of(value)) == 2)
    batch, unit = ir.AffineExpr.get_dim(0), ir.AffineExpr.get_dim(1)
    index = ir.AffineExpr.get_constant
    operands = [(value, [batch, index(number), unit]) for value, number in gates]
    for value in states:
        is_row = len(emit.static_shape_of(value)) == 1
        operands.append((value, [unit] if is_row else [batch, unit]))
    return map_indexed(operands, emit.static_shape_of(like), ir.F32Type.get(), compute)


def _directions(node: OnnxNode, gates: int, activations: Sequence[str]) -> list[Direction]:
    _check_attributes(node)
    weights, recurrence = node.constant(_WEIGHTS), node.constant(_RECURRENCE)
    reversals = _DIRECTIONS.get(node.attribute("direction", "forward"))
    shape, count = node.shape(0), 0 if reversals is None else len(reversals)
    units = recurrence.shape[-1]
    shapes = (count, gates * units, shape[-1]), (count, gates * units, units)
    if reversals is None or len(shape) != 3 or (weights.shape, recurrence.shape) != shapes:
        node.malformed(
            f"weights of shapes {list(weights.shape)} and {list(recurrence.shape)} on {list(shape)}"
        )
    bias = np.zeros((count, 2 * gates * units), np.float32)
    if node.has(_BIAS):
        bias = node.constant(_BIAS)
    if bias.shape != (count, 2 * gates * units) or node.attribute("hidden_size", units) != units:
        node.malformed(f"a bias of shape {list(bias.shape)}, of {units} units")
    functions = _activations(node, list(activations) * count)
    each = len(activations)
    return [
        Direction(
            *(i, is_reversed, weights[i], recurrence[i], *np.split(bias[i], 2)),
            activations=tuple(functions[i * each : (i + 1) * each]),
        )
        for i, is_reversed in enumerate(reversals)
    ]


def _check_attributes(node: OnnxNode) -> None:
    for name, usual in _ABSENT:
        if node.operator.attributes.get(name, usual) != usual:
            node.refuse(f"the attribute {name}", "export the layer without it")
    if node.has(_LENGTHS):
        steps = node.shape(0)[1 if node.attribute("layout", 0) else 0]
        if set(node.integers(_LENGTHS)) != {steps}:
            node.refuse("sequences of several lengths", f"give all of them {steps} steps")


def _activations(node: OnnxNode, usual: list[str]) -> list[GateFunction]:
    names = [name.lower() for name in node.attribute("activations", usual)]
    if len(names) != len(usual):
        node.malformed(f"{len(names)} activations instead of {len(usual)}")
    unknown = sorted(set(names) - set(_FUNCTIONS))
    if unknown:
        node.refuse(f"the activations {', '.join(unknown)}", f"{', '.join(_FUNCTIONS)} are")
    return [_FUNCTIONS[name] for name in names]


def _source(node: OnnxNode) -> SourceSequence:
    return SourceSequence(node.value(0), 1 if node.attribute("layout", 0) else 0)


def _initial(node: OnnxNode, index: int, source: SourceSequence, direction: Direction) -> ir.Value:
    shape = (source.batch, direction.units)
    if not node.has(index):
        return emit.tosa_constant(np.zeros(shape, np.float32))
    value, axis = node.value(index), source.time
    whole = emit.static_shape_of(value)
    if len(whole) != 3 or (*whole[:axis], *whole[axis + 1 :]) != shape:
        node.malformed(f"an initial state of shape {list(whole)} for states of {list(shape)}")
    start = [direction.number if i == axis else 0 for i in range(3)]
    sizes = [1 if i == axis else d for i, d in enumerate(whole)]
    return emit.tosa_reshape(emit.tosa_slice(value, start, sizes), shape)


def _run(
    source: SourceSequence,
    direction: Direction,
    step: RecurrentStep,
    states: States,
    result: ir.Value | None,
) -> tuple[ir.Value | None, States]:
    """Build the steps of a direction, and return the result with its rows, and the last states."""
    index = ir.IndexType.get()
    zero, one, end = (arith.ConstantOp(index, n).result for n in (0, 1, source.steps))
    carried = [*states] if result is None else [*states, result]
    loop = scf.ForOp(zero, end, one, carried)
    with ir.InsertionPoint(loop.body):
        time = loop.induction_variable
        if direction.is_reversed:
            last = arith.ConstantOp(index, source.steps - 1).result
            time = arith.SubIOp(last, time).result
        now = tuple(loop.inner_iter_args)[: len(states)]
        following = list(step(direction, _row(source, time), now))
        if result is not None:
            whole = loop.inner_iter_args[len(states)]
            following.append(_with_row(whole, following[0], source.time, direction.number, time))
        scf.YieldOp(following)
    ends = list(loop.results)
    return None if result is None else ends[-1], tuple(ends[: len(states)])


def _row(source: SourceSequence, time: ir.Value) -> ir.Value:
    """Return `[batch, inputs]` of one time step."""
    shape = list(emit.static_shape_of(source.value))
    sizes = [1 if i == source.time else d for i, d in enumerate(shape)]
    offsets = [_dynamic() if i == source.time else 0 for i in range(3)]
    kind = emit.tensor_type((source.batch, shape[2]), ir.F32Type.get())
    return tensor.ExtractSliceOp(
        kind, source.value, [time], [], [], offsets, sizes, [1, 1, 1]
    ).result


def _with_row(
    whole: ir.Value, row: ir.Value, axis: int, direction: int, time: ir.Value
) -> ir.Value:
    """Return the result with the row of one time step and direction, after the time."""
    shape = emit.static_shape_of(whole)
    sizes = [1 if i in (axis, axis + 1) else d for i, d in enumerate(shape)]
    places = {axis: _dynamic(), axis + 1: direction}
    offsets = [places.get(i, 0) for i in range(4)]
    return tensor.InsertSliceOp(row, whole, [time], [], [], offsets, sizes, [1] * 4).result


def _dynamic() -> int:
    return ir.ShapedType.get_dynamic_stride_or_offset()


def _last(node: OnnxNode, source: SourceSequence, ends: list[States], state: int) -> LaidOut | None:
    """Return the last value of a state of all directions, None if nobody reads it."""
    if not node.is_read(1 + state):
        return None
    batch, units = emit.static_shape_of(ends[0][state])
    shape = (batch, 1, units) if source.time else (1, batch, units)
    parts = [emit.tosa_reshape(states[state], shape) for states in ends]
    return LaidOut(emit.tosa_concat(parts, source.time))


def _sigmoid(x: ir.Value) -> ir.Value:
    one = scalar.scalar_constant(1.0, x.type)
    negative = arith.NegFOp(x).result
    return scalar.divide(one, scalar.add(one, mathlib.ExpOp(negative).result))


def _relu(x: ir.Value) -> ir.Value:
    return scalar.at_least(x, scalar.scalar_constant(0.0, x.type))


def _tanh(x: ir.Value) -> ir.Value:
    return mathlib.TanhOp(x).result


_FUNCTIONS: dict[str, GateFunction] = {"relu": _relu, "sigmoid": _sigmoid, "tanh": _tanh}
