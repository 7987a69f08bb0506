"""LSTM: input, output, forget and cell gate; states H and C.

i, o, f = f(x W + h R + b + p C)     with peepholes p; o takes them of the new C
c       = g(x W + h R + b)
C       = f C + i c
H       = o h(C)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlir import ir
from numpy.typing import NDArray

from forebay.frontends import tosa as emit
from forebay.frontends.onnx.lowering.layout import LaidOut
from forebay.frontends.onnx.lowering.node import OnnxNode
from forebay.frontends.onnx.lowering.recurrent_layer import (
    Direction,
    States,
    lower_recurrent,
    multiplied,
    state_from,
)
from forebay.frontends.onnx.lowering.registry import document_onnx, onnx_operator
from forebay.lowering.kernels import scalar

document_onnx(
    *("GRU", "LSTM", "RNN"),
    types="float32",
    limits="constant weights, all steps of each sequence; Sigmoid, Tanh, Relu; no clip, no "
    "input_forget",
    golden="1e-6",
)

_INPUT, _OUTPUT, _FORGET, _CELL = range(4)
_PEEPHOLES = 7


@onnx_operator("LSTM")
def lstm(node: OnnxNode) -> Sequence[LaidOut | None]:
    """Lower a layer of long short-term memory."""
    peepholes = _peepholes(node)

    def step(direction: Direction, row: ir.Value, states: States) -> States:
        by = None if peepholes is None else peepholes[direction.number]
        return _step(direction, row, states, by)

    usual = ("Sigmoid", "Tanh", "Tanh")
    return lower_recurrent(node, step, gates=4, states=(5, 6), activations=usual)


def _peepholes(node: OnnxNode) -> NDArray[np.generic] | None:
    """Return the factors of C for each direction: input, output and forget gate."""
    if not node.has(_PEEPHOLES):
        return None
    node.expect_floats(_PEEPHOLES)
    count, _, units = node.shape(2)
    data = node.constant(_PEEPHOLES)
    if data.shape != (count, 3 * units):
        node.malformed(f"peepholes of shape {list(data.shape)} for {units} units")
    return data.reshape(count, 3, units)


def _step(
    direction: Direction, row: ir.Value, states: States, peepholes: NDArray[np.generic] | None
) -> States:
    hidden, cell = states
    products = multiplied(row, direction.weights, direction.bias, 4)
    other = multiplied(hidden, direction.recurrence, direction.recurrent_bias, 4)
    gate, squash, show = direction.activations
    rows = () if peepholes is None else tuple(emit.tosa_constant(p) for p in peepholes)

    def next_cell(ins: Sequence[ir.Value]) -> ir.Value:
        i, f, c = (scalar.add(ins[k], ins[k + 3]) for k in range(3))
        old = ins[6]
        if rows:
            i, f = (scalar.add(x, scalar.multiply(p, old)) for x, p in ((i, ins[7]), (f, ins[8])))
        kept = scalar.multiply(gate(f), old)
        return scalar.add(kept, scalar.multiply(gate(i), squash(c)))

    def next_hidden(ins: Sequence[ir.Value]) -> ir.Value:
        o = scalar.add(ins[0], ins[1])
        if rows:
            o = scalar.add(o, scalar.multiply(ins[3], ins[2]))
        return scalar.multiply(gate(o), show(ins[2]))

    numbers = (_INPUT, _FORGET, _CELL)
    gates = [(value, number) for value in (products, other) for number in numbers]
    cell = state_from(gates, [cell, *rows[::2]], next_cell)
    hidden = state_from([(products, _OUTPUT), (other, _OUTPUT)], [cell, *rows[1:2]], next_hidden)
    return hidden, cell
