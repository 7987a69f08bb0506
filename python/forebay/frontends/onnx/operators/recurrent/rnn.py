"""RNN: one gate; `H = f(x W + h R + b)`."""

from __future__ import annotations

from collections.abc import Sequence

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


@onnx_operator("RNN")
def rnn(node: OnnxNode) -> Sequence[LaidOut | None]:
    """Lower a layer whose hidden state is its output."""
    return lower_recurrent(node, _step, gates=1, states=(5,), activations=("Tanh",))


def _step(direction: Direction, row: ir.Value, states: States) -> States:
    product = multiplied(row, direction.weights, direction.bias, 1)
    other = multiplied(states[0], direction.recurrence, direction.recurrent_bias, 1)
    activate = direction.activations[0]

    def next_hidden(ins: Sequence[ir.Value]) -> ir.Value:
        return activate(scalar.add(ins[0], ins[1]))

    return (state_from([(product, 0), (other, 0)], [states[0]], next_hidden),)
