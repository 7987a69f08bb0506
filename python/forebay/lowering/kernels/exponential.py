"""The fixed-point exponential of TFLite, for the table that the quantised softmax reads.

Source: gemmlowp `fixedpoint.h` (`exp_on_negative_values`) and TFLite `reference/softmax.h`. A
format Qm.n has m integer bits and n fractional bits in an int32: Q5.26, Q0.31.
"""

from __future__ import annotations

from forebay.ir.softmax import QuantizedSoftmax

_ONE = (1 << 31) - 1
"""The largest Q0.31, which represents 1."""
_QUARTER = 1 << 24
"""1/4 in Q5.26."""
_EXP_OF_MINUS_EIGHTH = 1895147668
_THIRD = 715827883
_FACTORS = (1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242)
"""exp(-2**k) in Q0.31 for k from -2 to 4."""


def exponentials(softmax: QuantizedSoftmax) -> list[int]:
    """Return exp(-d * input scale) in Q0.31 for d from 0 to 255; 0 for -d below `diff_min`."""
    return [_exponential(softmax, -d) if -d >= softmax.diff_min else 0 for d in range(256)]


def _exponential(softmax: QuantizedSoftmax, difference: int) -> int:
    shifted = difference << softmax.input_left_shift
    return exp_of_negative(high_product(shifted, softmax.input_multiplier))


def exp_of_negative(x: int) -> int:
    """Return exp in Q0.31 of a Q5.26 that is at most zero.

    The input is split: x = -(a sum of powers of two from 1/4 to 16) + rest, with the rest in
    [-1/4, 0). exp(rest) is computed by a polynomial. For each power of two 2**k in the sum, the
    result is multiplied by the constant exp(-2**k).
    """
    if x == 0:
        return _ONE
    rest = (x & (_QUARTER - 1)) - _QUARTER
    result = _exp_above_minus_quarter(rest << 5)
    powers = rest - x
    for k, factor in enumerate(_FACTORS):
        if powers & (_QUARTER << k):
            result = high_product(result, factor)
    return result


def _exp_above_minus_quarter(x: int) -> int:
    """Return exp of a Q0.31 in [-1/4, 0): the Taylor series around -1/8, up to the fourth power."""
    t = x + (1 << 28)
    t2 = high_product(t, t)
    t3 = high_product(t2, t)
    t4_over_4 = _rounded_shift(high_product(t2, t2), 2)
    series = _rounded_shift(high_product(t4_over_4 + t3, _THIRD) + t2, 1)
    return _EXP_OF_MINUS_EIGHTH + high_product(_EXP_OF_MINUS_EIGHTH, t + series)


def high_product(a: int, b: int) -> int:
    """Return `a * b / 2**31`, halves up: gemmlowp's `SaturatingRoundingDoublingHighMul`."""
    return (a * b + (1 << 30)) >> 31


def _rounded_shift(a: int, bits: int) -> int:
    """Return `a / 2**bits`, halves away from zero: gemmlowp's `RoundingDivideByPOT`."""
    magnitude = (abs(a) + (1 << (bits - 1))) >> bits
    return magnitude if a >= 0 else -magnitude
