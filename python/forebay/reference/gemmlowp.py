"""gemmlowp's fixed-point functions on arrays of int64; Qm.n has n fractional bits of 31.

Source: gemmlowp `fixedpoint/fixedpoint.h`, which defines TFLite's softmax.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from forebay.reference.types import Array

_LARGEST = (1 << 31) - 1
_LEAST = -(1 << 31)
_EXP_MINUS_EIGHTH = round(math.exp(-1 / 8) * 2**31)
_THIRD = round(2**31 / 3)
_POWERS = tuple((e, round(math.exp(-(2.0**e)) * 2**31)) for e in range(-2, 5))


def high_multiply(a: Any, b: Any) -> Array:
    """Return `a * b / 2**31`, saturated; halves round away from zero if negative, else up."""
    product = np.multiply(a, b, dtype=np.int64)
    nudged = product + np.where(product >= 0, 1 << 30, 1 - (1 << 30))
    quotient = np.where(nudged >= 0, nudged >> 31, -((-nudged) >> 31))
    return np.minimum(quotient, _LARGEST)


def divide_by_power_of_two(values: Any, exponent: Any) -> Array:
    """Return the quotients rounded to the nearest, halves away from zero."""
    values, exponent = np.asarray(values), np.asarray(exponent, np.int64)
    half = np.where(exponent > 0, np.left_shift(np.int64(1), np.maximum(exponent, 1) - 1), 0)
    return np.sign(values) * ((np.abs(values) + half) >> exponent)


def exp_of_negative(values: Array) -> Array:
    """Return exp in Q0.31 of numbers in Q5.26 that are at most 0."""
    quarter = 1 << 24
    rest = (values & (quarter - 1)) - quarter
    result = _exp_of_quarter(shift_left(rest, 5))
    whole = rest - values
    for exponent, factor in _POWERS:
        is_set = (whole >> (26 + exponent)) & 1
        result = np.where(is_set == 1, high_multiply(result, factor), result)
    return np.where(values == 0, _LARGEST, result)


def one_over_one_plus(values: Array) -> Array:
    """Return `1 / (1 + x)` in Q0.31 for x in [0, 1) in Q0.31, by Newton's method."""
    half = (values + _LARGEST + 1) >> 1
    x = round(48 / 17 * 2**29) + high_multiply(half, round(-32 / 17 * 2**29))
    for _ in range(3):
        error = (1 << 29) - high_multiply(half, x)
        x = x + shift_left(high_multiply(x, error), 2)
    return shift_left(x, 1)


def shift_left(values: Array, bits: int) -> Array:
    """Return the shifted values, saturated to 32 bits."""
    return np.clip(values << bits, _LEAST, _LARGEST)


def _exp_of_quarter(values: Array) -> Array:
    """Return exp in Q0.31 of [-1/4, 0) in Q0.31 by a Taylor series around -1/8."""
    x = values + (1 << 28)
    squared = high_multiply(x, x)
    cubed = high_multiply(squared, x)
    fourth = divide_by_power_of_two(high_multiply(squared, squared), 2)
    tail = divide_by_power_of_two(high_multiply(fourth + cubed, _THIRD) + squared, 1)
    return _EXP_MINUS_EIGHTH + high_multiply(_EXP_MINUS_EIGHTH, x + tail)
