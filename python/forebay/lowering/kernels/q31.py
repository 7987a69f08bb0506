"""Arithmetic on scalars of format Q0.31 (an int32 in units of 2**-31), as in gemmlowp.

Products are `tosa.apply_scale`: its 64-bit product and rounding of halves up are those of
gemmlowp's high product. The values here are any i32. TOSA's specification allows fewer, but its
lowerings compute the right result, because no result leaves i32.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, tosa
from mlir.dialects import math as mathlib

from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.named import named


def leading_zeros(value: ir.Value) -> ir.Value:
    """Return the number of zero bits above the highest set bit."""
    with named("leading"):
        return mathlib.CountLeadingZerosOp(value).result


def inverse(total: ir.Value) -> ir.Value:
    """Return `1 / (1 + fraction)` in Q0.31, where total = (1 + fraction) times a power of two."""
    shifted = arith.ShLIOp(total, leading_zeros(total)).result
    return one_over_one_plus(arith.AndIOp(shifted, _i32(2**31 - 1)).result)


def one_over_one_plus(fraction: ir.Value) -> ir.Value:
    """Return `1 / (1 + fraction)` in Q0.31 of a fraction in Q0.31, at least zero.

    Newton's iteration is x += x * (1 - x * d) in Q2.29, with d = (1 + fraction) / 2. It starts from
    x = 48/17 - 32/17 * d.
    """
    with named("half"):
        half = scalar.add_constant(arith.ShRUIOp(fraction, _i32(1)).result, 1 << 30)
    start = product(_i32(-1010580540), half)
    with named("guess"):
        x = scalar.add_constant(start, 1515870810)
    for _ in range(3):
        error = scalar.subtract(_i32(1 << 29), product(x, half))
        correction = scalar.scaled(product(error, x), 4)
        with named("guess"):
            x = scalar.add(x, correction)
    i64 = ir.IntegerType.get_signless(64)
    twice = scalar.multiply(arith.ExtSIOp(i64, x).result, scalar.scalar_constant(2, i64))
    return scalar.narrow(
        scalar.at_most(twice, scalar.scalar_constant(2**31 - 1, i64)), scalar.i32()
    )


def product(a: ir.Value, b: ir.Value) -> ir.Value:
    """Return `a * b / 2**31`, halves up, for `b` at least zero."""
    return _apply_scale(a, b, scalar.scalar_constant(31, ir.IntegerType.get_signless(8)))


def rounded_shift(value: ir.Value, bits: ir.Value) -> ir.Value:
    """Return `value / 2**bits`, halves up, for a value at least zero."""
    return _apply_scale(value, _i32(1), bits)


def _apply_scale(value: ir.Value, multiplier: ir.Value, shift: ir.Value) -> ir.Value:
    rounding = ir.Attribute.parse("#tosa.rounding_mode<SINGLE_ROUND>")
    return tosa.ApplyScaleOp(scalar.i32(), value, multiplier, shift, rounding).result


def _i32(value: int) -> ir.Value:
    return scalar.scalar_constant(value, scalar.i32())
