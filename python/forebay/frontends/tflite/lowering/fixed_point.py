"""The 32-bit fixed-point functions of gemmlowp on Python integers, which hold raw values.

A number in Qm.n has n fractional bits, with m + n = 31. Source: gemmlowp `fixedpoint/fixedpoint.h`.
Each function is valid for every raw input of the range in its docstring. The functions are not
vectorised, because the importer uses them only to fill tables of 256 entries.
"""

from __future__ import annotations

_MOST = (1 << 31) - 1
_LEAST = -(1 << 31)
ONE = _MOST
"""The largest number in Q0.31, which represents 1."""

_ONE_Q2 = 1 << 29
_CONSTANT_48_OVER_17 = 1515870810
_CONSTANT_NEG_32_OVER_17 = -1010580540
_EXP_MINUS_EIGHTH = 1895147668
_ONE_THIRD = 715827883
# exp(-2**e) in Q0.31 for e from -2 to 4.
_EXP_OF_POWERS = (1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242)


def high_multiply(a: int, b: int, bits: int = 32) -> int:
    """Return `round(a * b / 2**(bits - 1))`, halves up, saturated.

    This is gemmlowp's SaturatingRoundingDoublingHighMul.
    """
    if a == b == -(1 << (bits - 1)):
        return (1 << (bits - 1)) - 1
    return (a * b + (1 << (bits - 2))) >> (bits - 1)


def divide_by_power_of_two(value: int, exponent: int) -> int:
    """Return `round(value / 2**exponent)`, halves away from zero (RoundingDivideByPOT)."""
    if exponent == 0:
        return value
    magnitude = (abs(value) + (1 << (exponent - 1))) >> exponent
    return magnitude if value >= 0 else -magnitude


def logistic(value: int) -> int:
    """Return 1 / (1 + exp(-value)) in Q0.31 of a value in Q4.27."""
    if value == 0:
        return 1 << 30
    positive = _one_over_one_plus(exp_on_negative_values(-abs(value), 27))
    return positive if value > 0 else ONE - positive


def tanh(value: int) -> int:
    """Return the hyperbolic tangent in Q0.31 of a value in Q4.27."""
    if value == 0:
        return 0
    # 2 * value in Q5.26 has the raw value of `value` in Q4.27.
    positive = _one_minus_over_one_plus(exp_on_negative_values(-abs(value), 26))
    return positive if value > 0 else -positive


def exp_on_negative_values(value: int, fraction_bits: int) -> int:
    """Return exp(value) in Q0.31 of a value <= 0 with at least 26 fractional bits."""
    if value == 0:
        return ONE
    quarter = 1 << (fraction_bits - 2)
    modulo = (value & (quarter - 1)) - quarter
    result = _exp_on_last_quarter(_shift_left(modulo, 31 - fraction_bits))
    remainder = modulo - value
    for exponent, factor in enumerate(_EXP_OF_POWERS, start=-2):
        if exponent < 31 - fraction_bits and remainder & (1 << (fraction_bits + exponent)):
            result = high_multiply(result, factor)
    return result


def _exp_on_last_quarter(value: int) -> int:
    """Return exp(value) for a value in [-1/4, 0) in Q0.31: a Taylor series around -1/8."""
    x = value + (1 << 28)
    x2 = high_multiply(x, x)
    x3 = high_multiply(x2, x)
    x4_over_4 = divide_by_power_of_two(high_multiply(x2, x2), 2)
    tail = divide_by_power_of_two(high_multiply(x4_over_4 + x3, _ONE_THIRD) + x2, 1)
    return _EXP_MINUS_EIGHTH + high_multiply(_EXP_MINUS_EIGHTH, x + tail)


def _one_over_one_plus(value: int) -> int:
    return _shift_left(_two_over_one_plus(value), 1)


def _one_minus_over_one_plus(value: int) -> int:
    return _shift_left(_two_over_one_plus(value) - _ONE_Q2, 2)


def _two_over_one_plus(value: int) -> int:
    """Return 2 / (1 + value) in Q2.29 of a value in [0, 1] in Q0.31: three Newton-Raphson steps."""
    half_denominator = (value + ONE + 1) >> 1
    x = _CONSTANT_48_OVER_17 + high_multiply(half_denominator, _CONSTANT_NEG_32_OVER_17)
    for _ in range(3):
        error = _ONE_Q2 - high_multiply(half_denominator, x)
        x += _shift_left(high_multiply(x, error), 2)
    return x


def _shift_left(value: int, exponent: int) -> int:
    return max(_LEAST, min(_MOST, value << exponent))
