"""The logarithm of a fixed-point number at or above 1, as scalar ops.

A format Qm.n has m integer bits and n fraction bits in an int32. With x = 2**z * r, the logarithm
is z * log(2) + log(r). TFLite takes r in [sqrt(1/2), 1) times the fourth root of 2, by two shifts
of which the one with the smaller r counts, and computes log(r) as a quotient of polynomials in
q = 2 * (r - the fourth root of 1/2).
Source: TFLite `common.h`, `log_x_for_x_greater_than_or_equal_to_1_impl`; gemmlowp `fixedpoint.h`.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith
from mlir.dialects import math as mathlib

from forebay.lowering.kernels import q31, scalar

_LOG_2 = 1488522236
_FOURTH_ROOT_OF_HALF = 1805811301
_ROOT_OF_HALF = 1518500250
_ALPHA_N = 117049297
_ALPHA_D = 127690142
_ALPHA_I = 1057819769
_ALPHA_F = 638450708
_LARGEST = (1 << 31) - 1


def fixed_log(x: ir.Value, integer_bits: int, result_bits: int) -> ir.Value:
    """Return the logarithm with `result_bits` integer bits of an i32 with `integer_bits`."""
    accumulated = result_bits + 1
    fraction = 31 - accumulated
    quarter = 1 << (fraction - 2)
    zeros_a = mathlib.CountLeadingZerosOp(x).result
    shifted = arith.ShLIOp(x, scalar.add_constant(zeros_a, -1)).result
    r_a = _doubled(doubled_product(shifted, _ROOT_OF_HALF))
    power_a = _power(integer_bits, zeros_a, fraction, quarter)
    halved = doubled_product(x, _ROOT_OF_HALF)
    zeros_b = scalar.add_constant(mathlib.CountLeadingZerosOp(halved).result, -1)
    r_b = shifted_left(x, zeros_b)
    power_b = _power(integer_bits, zeros_b, fraction, -quarter)
    r, power = scalar.at_most(r_a, r_b), scalar.at_least(power_a, power_b)
    q = scalar.scaled(scalar.add_constant(r, -_FOURTH_ROOT_OF_HALF), 2)
    fractional = _log_of_fraction(r, q, accumulated)
    return _doubled(scalar.add(doubled_product(power, _LOG_2), fractional))


def _power(integer_bits: int, zeros: ir.Value, fraction: int, offset: int) -> ir.Value:
    """Return `integer_bits - zeros` in fixed point, plus the offset."""
    bits = scalar.subtract(_i32(integer_bits), zeros)
    return scalar.add_constant(scalar.scaled(bits, 1 << fraction), offset)


def _log_of_fraction(r: ir.Value, q: ir.Value, integer_bits: int) -> ir.Value:
    square = doubled_product(q, q)
    numerator = scalar.add(
        doubled_product(q, r), doubled_product(doubled_product(q, square), _ALPHA_N)
    )
    inner = scalar.add(scalar.add_constant(q, _ALPHA_I), doubled_product(square, _ALPHA_D))
    half_sum = _half_sum(r, _FOURTH_ROOT_OF_HALF)
    below_one = scalar.add(doubled_product(half_sum, inner), doubled_product(q, _ALPHA_F))
    reciprocal = q31.one_over_one_plus(below_one)
    return doubled_product(divided_by_power_of_two(numerator, integer_bits), reciprocal)


def doubled_product(a: ir.Value, b: ir.Value | int) -> ir.Value:
    """Return `a * b / 2**31`, halves up, of factors of any sign."""
    i64 = ir.IntegerType.get_signless(64)
    left = arith.ExtSIOp(i64, a).result
    right = _i64(b) if isinstance(b, int) else arith.ExtSIOp(i64, b).result
    total = scalar.add(scalar.multiply(left, right), _i64(1 << 30))
    return scalar.narrow(arith.ShRSIOp(total, _i64(31)).result, scalar.i32())


def _half_sum(a: ir.Value, b: int) -> ir.Value:
    """Return `(a + b) / 2`, halves away from zero, of a sum above zero."""
    i64 = ir.IntegerType.get_signless(64)
    total = scalar.add(arith.ExtSIOp(i64, a).result, _i64(b + 1))
    return scalar.narrow(arith.ShRSIOp(total, _i64(1)).result, scalar.i32())


def _doubled(value: ir.Value) -> ir.Value:
    """Return twice the value, saturated."""
    return shifted_left(value, _i32(1))


def shifted_left(value: ir.Value, bits: ir.Value) -> ir.Value:
    """Return the value times a power of two, saturated."""
    i64 = ir.IntegerType.get_signless(64)
    wide, by = (arith.ExtSIOp(i64, x).result for x in (value, bits))
    shifted = scalar.multiply(wide, arith.ShLIOp(_i64(1), by).result)
    return scalar.narrow(scalar.clamp(shifted, -_LARGEST - 1, _LARGEST), scalar.i32())


def divided_by_power_of_two(value: ir.Value, bits: int) -> ir.Value:
    """Return `value / 2**bits`, halves away from zero; the value is below 2**31 - 2**bits."""
    negative = arith.CmpIOp(arith.CmpIPredicate.slt, value, _i32(0)).result
    up = scalar.add_constant(value, 1 << (bits - 1))
    down = scalar.add_constant(value, (1 << (bits - 1)) - 1)
    nudged = arith.SelectOp(negative, down, up).result
    return arith.ShRSIOp(nudged, _i32(bits)).result


def _i32(value: int) -> ir.Value:
    return scalar.scalar_constant(value, scalar.i32())


def _i64(value: int) -> ir.Value:
    return scalar.scalar_constant(value, ir.IntegerType.get_signless(64))
