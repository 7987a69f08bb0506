"""Fused activations: a clamp at the end of an operator, omitted if it does not change the range."""

from __future__ import annotations

import enum

import numpy as np
from mlir import ir

from forebay.frontends.tflite.file.schema import ElementType, TfliteTensor
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.quantize import quantize_float

_LARGEST_QUANTIZED = 2.0**31 - 128
_LARGEST = float(np.finfo(np.float32).max)


class Activation(enum.Enum):
    """The values of the schema's `ActivationFunctionType` that are clamps, with their bounds."""

    NONE = (None, None)
    RELU = (0.0, None)
    RELU_N1_TO_1 = (-1.0, 1.0)
    RELU6 = (0.0, 6.0)

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """The lowest and the highest value; None for no bound."""
        return self.value


NONE, RELU, RELU_N1_TO_1, RELU6 = range(4)
_NUMBERS = {
    NONE: Activation.NONE,
    RELU: Activation.RELU,
    RELU_N1_TO_1: Activation.RELU_N1_TO_1,
    RELU6: Activation.RELU6,
}
_OTHERS = {4: "TANH", 5: "SIGN_BIT"}


def activate(node: Node, value: ir.Value, number: int) -> ir.Value:
    """Clamp `value`, the operator's result, by the fused activation of that number."""
    bounds = activation_bounds(node, number)
    if bounds is None:
        return value
    if node.output.type is ElementType.FLOAT32:
        return emit.clamp_float(value, *bounds)
    return emit.clamp_integer(value, int(bounds[0]), int(bounds[1]))


def activation_bounds(node: Node, number: int) -> tuple[float, float] | None:
    """Return the bounds of the fused activation of that number; None if it changes no value."""
    activation = _NUMBERS.get(number)
    if activation is None:
        name = _OTHERS.get(number, f"number {number}")
        node.refuse(f"the fused activation {name}", "use NONE, RELU, RELU_N1_TO_1 or RELU6")
    if activation is Activation.NONE:
        return None
    if node.output.type is ElementType.FLOAT32:
        low, high = activation.value
        return low, _LARGEST if high is None else high
    if not node.output.type.is_quantised:
        lowest, highest = node.output.type.range
        low, high = activation.bounds
        return lowest if low is None else low, highest if high is None else high
    return quantized_bounds(node, activation, node.output)


def quantized_bounds(
    node: Node, activation: Activation, tensor: TfliteTensor
) -> tuple[int, int] | None:
    """Return the bounds in the quantisation of that tensor; None if they change no value."""
    lowest, highest = tensor.type.range
    quantization = node.quantization(tensor)
    scale, zero_point = quantization.scale, quantization.zero_point
    low, high = activation.value
    if max(abs(bound or 0) for bound in (low, high)) / scale >= _LARGEST_QUANTIZED:
        node.refuse(f"a fused activation at a scale of {scale:g}", "its bounds leave 32 bits")
    bottom = lowest if low is None else max(lowest, quantize_float(low, scale, zero_point))
    top = highest if high is None else min(highest, quantize_float(high, scale, zero_point))
    if (bottom, top) == (lowest, highest):
        return None
    if bottom > top:
        node.malformed("the fused activation leaves no value: its bounds cross")
    return bottom, top
