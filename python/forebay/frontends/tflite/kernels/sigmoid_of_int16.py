"""LOGISTIC and TANH of int16: a factor to the table's format, then the table.

A scale of 2**-12 needs no factor but 3, see `fixed_sigmoid.py`. TANH also takes 2**-11. Any other
scale gets a factor of 15 bits, which is truncated.
Source: TFLite Micro `logistic_common.cc`, `tanh.cc`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from mlir import ir

from forebay.frontends.elementwise import map_elements
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.kernels.fixed_sigmoid import InputScale, sigmoid_table
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.lowering.kernels import scalar

_FRACTION_BITS = 12
_SCALE = 2.0**-15
_LARGEST_SHIFT = 30


def lower_int16(
    node: Node,
    function: Callable[[ir.Value, ir.Value, InputScale], ir.Value],
    shifts: Sequence[int],
) -> ir.Value:
    """Build the function of each element; `shifts` are the powers of two that need no factor."""
    node.expect_types((ElementType.INT16,) * 2)
    target = node.quantization(node.output)
    if target.scale != _SCALE:
        node.refuse(
            f"an output of scale {target.scale:g}",
            f"TFLite's int16 {node.operator.name} has scale {_SCALE:g}",
        )
    by = _factor(node.quantization(node.input(0)).scale, shifts)
    table = sigmoid_table()

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        return scalar.narrow(function(scalar.widen(ins[0]), table, by), emit.signless(16))

    return map_elements([node.value(0)], node.shape(0), emit.signless(16), compute)


def _factor(scale: float, shifts: Sequence[int]) -> InputScale:
    power = math.log2(scale)
    if power == round(power) and round(power) + _FRACTION_BITS in shifts:
        return InputScale(3 << (round(power) + _FRACTION_BITS), 0)
    multiplier, shift = scale * 3 * (1 << _FRACTION_BITS), 0
    while multiplier <= 32767.0 / 2.0 and shift <= _LARGEST_SHIFT:
        multiplier, shift = 2.0 * multiplier, shift + 1
    return InputScale(int(multiplier), shift)
