"""One over the square root of an integer, as TFLite's multiplier and shift, as scalar ops.

    x = 1, then five times x = 3/2 x - 1/2 input x**3, with 3 integer bits, for an input in [1/4, 1)

An input is shifted by pairs of bits into that range, and the shift of the result by half as many.
Source: TFLite `common.h`, `GetInvSqrtQuantizedMultiplierExp`; gemmlowp `fixedpoint.h`.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, tosa
from mlir.dialects import math as mathlib

from forebay.frontends.tflite.kernels.fixed_log import doubled_product, shifted_left
from forebay.lowering.kernels import scalar

_ONE, _THREE_HALVES = 1 << 28, (1 << 28) + (1 << 27)
_ROOT_OF_HALF = 1518500250
_LARGEST = (1 << 31) - 1
_STEPS = 5
_FIRST_SHIFT = 11
_TOO_LARGE = 1 << 29


def scaled_by_inverse_root(value: ir.Value, of: ir.Value, bits: int) -> ir.Value:
    """Return `value / sqrt(of) * 2**bits` in i32, rounded twice; `of` is 1 where it is below 1."""
    significand, shift = _inverse_root(of)
    by = scalar.narrow(scalar.add_constant(shift, 31 - bits), ir.IntegerType.get_signless(8))
    rounding = ir.Attribute.parse("#tosa.rounding_mode<DOUBLE_ROUND>")
    return tosa.ApplyScaleOp(scalar.i32(), value, significand, by, rounding).result


def _inverse_root(of: ir.Value) -> tuple[ir.Value, ir.Value]:
    """Return the significand in Q0.31, and how far its products are shifted to the right."""
    is_large = arith.CmpIOp(arith.CmpIPredicate.sge, of, _i32(_TOO_LARGE)).result
    quarter = arith.ShRSIOp(of, _i32(2)).result
    number = scalar.at_least(arith.SelectOp(is_large, quarter, of).result, _i32(2))
    first = arith.SelectOp(is_large, _i32(_FIRST_SHIFT + 1), _i32(_FIRST_SHIFT)).result
    zeros = scalar.add_constant(mathlib.CountLeadingZerosOp(number).result, -1)
    pairs = scalar.add_constant(arith.ShRSIOp(zeros, _i32(1)).result, -1)
    shift = scalar.subtract(first, pairs)
    normal = arith.ShLIOp(number, scalar.scaled(pairs, 2)).result
    root = doubled_product(_newton(arith.ShRSIOp(normal, _i32(1)).result), _ROOT_OF_HALF)
    zero = _i32(0)
    left = scalar.at_least(scalar.subtract(zero, shift), zero)
    is_one = arith.CmpIOp(arith.CmpIPredicate.sle, of, _i32(1)).result
    significand = arith.SelectOp(is_one, _i32(_LARGEST), arith.ShLIOp(root, left).result).result
    return significand, arith.SelectOp(is_one, zero, scalar.at_least(shift, zero)).result


def _newton(number: ir.Value) -> ir.Value:
    half = arith.ShRSIOp(scalar.add_constant(number, 1), _i32(1)).result
    x = _i32(_ONE)
    for _ in range(_STEPS):
        cube = shifted_left(doubled_product(doubled_product(x, x), x), _i32(6))
        whole = doubled_product(x, _THREE_HALVES)
        x = shifted_left(scalar.subtract(whole, doubled_product(half, cube)), _i32(3))
    return x


def _i32(value: int) -> ir.Value:
    return scalar.scalar_constant(value, scalar.i32())
