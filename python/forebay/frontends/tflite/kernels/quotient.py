"""The quotient of two int8 values in TFLite's fixed point, as scalar ops.

    reciprocal = 1 / |b|                          Q0.31 of b in [1, 2), and a power of two
    quotient   = a * 2**headroom * reciprocal     as many bits of `a` as 32 bits hold
    out        = quotient * factor / 2**shift     halves away from zero

TFLite shifts a quotient close to zero by more than 31 bits. In C this is undefined, and the results
depend on the processor. Here it gives zero, the rounded quotient. So does a divisor of zero, by
which TFLite stops in debug builds, give the result for a divisor of one.
Source: TFLite `reference/div.h` (`DivElementwise`), `common.h` (`GetReciprocal`).
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith
from mlir.dialects import math as mathlib

from forebay.frontends.tflite.kernels.fixed_log import doubled_product
from forebay.frontends.tflite.kernels.scaled import is_negative
from forebay.frontends.tflite.lowering.quantize import Multiplier
from forebay.lowering.kernels import q31, scalar

LARGEST_FACTOR = 23
"""The largest exponent of the factor, above which TFLite shifts by a negative number."""
_MOST_BITS = 62


def quotient(a: ir.Value, b: ir.Value, factor: Multiplier) -> ir.Value:
    """Return `a / b * factor` of two i32, both without their zero points."""
    is_below = is_negative(b)
    numerator = arith.SelectOp(is_below, _negated(a), a).result
    divisor = scalar.at_least(arith.SelectOp(is_below, _negated(b), b).result, _i32(1))
    sign = arith.ShRSIOp(numerator, _i32(31)).result
    bits = arith.XOrIOp(numerator, sign).result
    headroom = scalar.add_constant(mathlib.CountLeadingZerosOp(bits).result, -1)
    whole = arith.ShLIOp(numerator, headroom).result
    unscaled = doubled_product(whole, q31.inverse(divisor))
    zeros = q31.leading_zeros(divisor)
    shift = scalar.add_constant(scalar.subtract(headroom, zeros), 31 - factor.exponent)
    return _divided(doubled_product(unscaled, factor.significand), shift)


def _divided(value: ir.Value, bits: ir.Value) -> ir.Value:
    """Return `value / 2**bits`, halves away from zero."""
    wide = arith.ExtSIOp(ir.IntegerType.get_signless(64), value).result
    by = scalar.at_most(arith.ExtSIOp(wide.type, bits).result, _i64(_MOST_BITS))
    half = arith.ShRSIOp(arith.ShLIOp(_i64(1), by).result, _i64(1)).result
    below = arith.ExtUIOp(wide.type, is_negative(value)).result
    nudged = scalar.subtract(scalar.add(wide, half), scalar.at_most(below, half))
    return scalar.narrow(arith.ShRSIOp(nudged, by).result, scalar.i32())


def _negated(value: ir.Value) -> ir.Value:
    return scalar.subtract(_i32(0), value)


def _i32(value: int) -> ir.Value:
    return scalar.scalar_constant(value, scalar.i32())


def _i64(value: int) -> ir.Value:
    return scalar.scalar_constant(value, ir.IntegerType.get_signless(64))
