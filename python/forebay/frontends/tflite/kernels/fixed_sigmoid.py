"""The logistic function and the hyperbolic tangent of int16, by a table with interpolation.

The table holds the logistic function at multiples of 1/24 in units of 2**-16. An input is
multiplied by 3, so that its upper bits are an index into the table and its lower bits are the
position between two entries. tanh(x) is 2 * logistic(2 * x) - 1.
Source: TFLite `reference/integer_ops/logistic.h` and `tanh.h`, the table in `internal/common.cc`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import arith, tensor
from mlir.dialects import math as mathlib
from msgspec import Struct

from forebay.lowering.kernels import scalar

_ENTRIES = 256
_STEP = 24
_RAISED = frozenset(
    {
        *(4, 8, 12, 14, 15, 16, 17, 19, 20, 21, 22, 25, 27, 28, 29, 30, 31, 33, 34, 35, 37, 39),
        *(40, 41, 43, 44, 45, 46, 49, 50, 54, 62, 63, 64, 66, 82, 86, 93, 100, 103, 112, 116),
        *(135, 255),
    }
)
"""Inputs where TFLite's table is one above the nearest integer; lines between entries lie lower."""


class InputScale(Struct, frozen=True):
    """The factor of an input: `(x * multiplier + half) >> shift`; the format is then Q4.12 * 3."""

    multiplier: int
    shift: int


WHOLE_BITS_OF_3 = InputScale(3, 0)
"""The factor of inputs in Q3.12."""


def sigmoid_table() -> ir.Value:
    """Build the constant table."""
    exact = (65536.0 / (1.0 + math.exp(-i / _STEP)) for i in range(_ENTRIES))
    values = [math.floor(x + 0.5) + (i in _RAISED) for i, x in enumerate(exact)]
    numbers: Any = np.array(values, np.int32)
    attribute: Any = ir.DenseElementsAttr.get(numbers)
    return arith.ConstantOp(attribute.type, attribute).result


def fixed_logistic(x: ir.Value, table: ir.Value, by: InputScale) -> ir.Value:
    """Return the logistic function of an i32 in units of 2**-15, as i32."""
    scaled = _scaled(x, by)
    result = _interpolated(scaled, table, bits=9, largest=0x7FFF << 10)
    positive = scalar.add_constant(result, 1 << 9)
    negative = scalar.subtract(_i32((1 << 25) + (1 << 9) - 1), result)
    return arith.ShRSIOp(_by_sign(scaled, positive, negative), _i32(10)).result


def fixed_tanh(x: ir.Value, table: ir.Value, by: InputScale) -> ir.Value:
    """Return the hyperbolic tangent of an i32 in units of 2**-15, as i32."""
    scaled = _scaled(x, by)
    result = _interpolated(scaled, table, bits=8, largest=0xFFFF << 8)
    positive = scalar.add_constant(result, (1 << 7) - (1 << 23))
    negative = scalar.subtract(_i32((1 << 23) + (1 << 7) - 1), result)
    return arith.ShRSIOp(_by_sign(scaled, positive, negative), _i32(8)).result


def _scaled(x: ir.Value, by: InputScale) -> ir.Value:
    product = scalar.scaled(x, by.multiplier)
    if by.shift == 0:
        return product
    half = scalar.add_constant(product, 1 << (by.shift - 1))
    return arith.ShRSIOp(half, _i32(by.shift)).result


def _interpolated(x: ir.Value, table: ir.Value, *, bits: int, largest: int) -> ir.Value:
    magnitude = mathlib.AbsIOp(x).result
    above = arith.ShRSIOp(magnitude, _i32(bits)).result
    low = scalar.at_most(above, _i32(_ENTRIES - 2))
    first = _entry(table, low)
    difference = scalar.subtract(_entry(table, scalar.add_constant(low, 1)), first)
    rest = arith.AndIOp(magnitude, _i32((1 << bits) - 1)).result
    value = scalar.add(scalar.scaled(first, 1 << bits), scalar.multiply(rest, difference))
    saturates = arith.CmpIOp(arith.CmpIPredicate.sge, above, _i32(_ENTRIES - 1)).result
    return arith.SelectOp(saturates, _i32(largest), value).result


def _entry(table: ir.Value, number: ir.Value) -> ir.Value:
    index = arith.IndexCastOp(ir.IndexType.get(), number).result
    return tensor.ExtractOp(table, [index]).result


def _by_sign(x: ir.Value, positive: ir.Value, negative: ir.Value) -> ir.Value:
    is_negative = arith.CmpIOp(arith.CmpIPredicate.slt, x, _i32(0)).result
    return arith.SelectOp(is_negative, negative, positive).result


def _i32(value: int) -> ir.Value:
    return scalar.scalar_constant(value, scalar.i32())
