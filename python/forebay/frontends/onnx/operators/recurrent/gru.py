"""GRU: update, reset and hidden gate; state H.

z, r = f(x W + h R + b)
c    = g(x W + b + (r h) R + b_R)       or, with `linear_before_reset`,  g(x W + b + r (h R + b_R))
H    = (1 - z) c + z h
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlir import ir

from forebay.frontends.onnx.lowering.layout import LaidOut
from forebay.frontends.onnx.lowering.node import OnnxNode
from forebay.frontends.onnx.lowering.recurrent_layer import (
    Direction,
    States,
    lower_recurrent,
    multiplied,
    state_from,
)
from forebay.frontends.onnx.lowering.registry import onnx_operator
from forebay.lowering.kernels import scalar

_UPDATE, _RESET, _HIDDEN = range(3)


@onnx_operator("GRU")
def gru(node: OnnxNode) -> Sequence[LaidOut | None]:
    """Lower a layer of gated recurrent units."""
    step = _linear_step if node.attribute("linear_before_reset", 0) else _step
    return lower_recurrent(node, step, gates=3, states=(5,), activations=("Sigmoid", "Tanh"))


def _linear_step(direction: Direction, row: ir.Value, states: States) -> States:
    """Build a step whose reset gate multiplies a product."""
    products = multiplied(row, direction.weights, direction.bias, 3)
    other = multiplied(states[0], direction.recurrence, direction.recurrent_bias, 3)
    gate, squash = direction.activations

    def next_hidden(ins: Sequence[ir.Value]) -> ir.Value:
        z, r = gate(scalar.add(ins[0], ins[3])), gate(scalar.add(ins[1], ins[4]))
        candidate = squash(scalar.add(ins[2], scalar.multiply(r, ins[5])))
        return _mixed(z, candidate, ins[6])

    gates = [(value, k) for value in (products, other) for k in (_UPDATE, _RESET, _HIDDEN)]
    return (state_from(gates, [states[0]], next_hidden),)


def _step(direction: Direction, row: ir.Value, states: States) -> States:
    """Build a step whose reset gate multiplies the state, before its product."""
    units = direction.units
    hidden = states[0]
    products = multiplied(row, direction.weights, direction.bias, 3)
    rows, biases = direction.recurrence, direction.recurrent_bias
    other = multiplied(hidden, rows[: 2 * units], biases[: 2 * units], 2)
    gate, squash = direction.activations

    def reset(ins: Sequence[ir.Value]) -> ir.Value:
        return scalar.multiply(gate(scalar.add(ins[0], ins[1])), ins[2])

    def next_hidden(ins: Sequence[ir.Value]) -> ir.Value:
        z = gate(scalar.add(ins[0], ins[1]))
        return _mixed(z, squash(scalar.add(ins[2], ins[3])), ins[4])

    kept = state_from([(products, _RESET), (other, _RESET)], [hidden], reset)
    last = multiplied(kept, np.ascontiguousarray(rows[2 * units :]), biases[2 * units :], 1)
    gates = [(products, _UPDATE), (other, _UPDATE), (products, _HIDDEN), (last, 0)]
    return (state_from(gates, [hidden], next_hidden),)


def _mixed(update: ir.Value, candidate: ir.Value, old: ir.Value) -> ir.Value:
    one = scalar.scalar_constant(1.0, update.type)
    new = scalar.multiply(scalar.subtract(one, update), candidate)
    return scalar.add(new, scalar.multiply(update, old))
