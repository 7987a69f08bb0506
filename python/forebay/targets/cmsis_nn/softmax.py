"""The int8 softmax of TFLite and CMSIS-NN, in fixed point.

A format Qm.n has m integer and n fractional bits in an int32. Differences from the largest element
are Q5.26, exponentials Q0.31, their sum Q12.19.

Source: gemmlowp `fixedpoint.h`, TFLite `reference/softmax.h`.
"""

from __future__ import annotations

from forebay.api.target import (
    Int8,
    Int32,
    Int64,
    LocalVariable,
    TypedPointer,
    clip,
    loop,
    maximum,
    minimum,
    select,
)
from forebay.targets.cmsis_nn.sizes import SizeValue

_LARGEST = (1 << 31) - 1
_SUM_BITS = 12
_RESULT_BITS = 8
_QUARTER = 1 << 24
"""1/4 in Q5.26."""
_EXP_OF_MINUS_EIGHTH = 1895147668
_THIRD = 715827883
_FACTORS = (1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242)
"""exp(-2**k) in Q0.31 for k from -2 to 4."""
_START, _SLOPE = 1515870810, -1010580540
"""48/17 and -32/17 in Q2.29: the first guess of a reciprocal."""


def reference_softmax(
    x: TypedPointer[Int8],
    y: TypedPointer[Int8],
    *,
    rows: SizeValue,
    columns: SizeValue,
    multiplier: SizeValue,
    shift: SizeValue,
    least_difference: SizeValue,
) -> None:
    """Compute the softmax of each row of `x[rows][columns]`, with zero point -128."""
    image, result = x.shaped(rows, columns), y.shaped(rows, columns)
    for row in loop(rows):
        most = LocalVariable(Int32.of(-128))
        for column in loop(columns):
            most.value = maximum(most.value, image[row, column].extend(Int32))
        total = LocalVariable(Int32.of(0))
        for column in loop(columns):
            difference = image[row, column].extend(Int32) - most.value
            exponential = _exponential(difference, multiplier, shift)
            counted = _shifted(exponential, Int32.of(_SUM_BITS))
            total.value += select(difference >= least_difference, counted, 0)
        zeros = _leading_zeros(total.value)
        inverse = _inverse((total.value << zeros) & _LARGEST)
        bits = _SUM_BITS + 31 - _RESULT_BITS - zeros
        for column in loop(columns):
            difference = image[row, column].extend(Int32) - most.value
            exponential = _exponential(difference, multiplier, shift)
            value = clip(_shifted(_product(inverse, exponential), bits) - 128, -128, 127)
            chosen = select(difference >= least_difference, value, -128)
            result[row, column] = chosen.truncate(Int8)


def _exponential(difference: Int32, multiplier: SizeValue, shift: SizeValue) -> Int32:
    """Return exp of a scaled difference, in Q0.31."""
    x = _product(difference << shift, multiplier)
    rest = (x & (_QUARTER - 1)) - _QUARTER
    result = _exp_above_minus_quarter(rest << 5)
    powers = rest - x
    for k, factor in enumerate(_FACTORS):
        result = select((powers & (_QUARTER << k)) != 0, _product(result, factor), result)
    return select(x == 0, _LARGEST, result)


def _exp_above_minus_quarter(x: Int32) -> Int32:
    """Return exp of a Q0.31 in [-1/4, 0): the Taylor series around -1/8, up to the fourth power."""
    t = x + (1 << 28)
    t2 = _product(t, t)
    t3 = _product(t2, t)
    t4_over_4 = _shifted(_product(t2, t2), Int32.of(2))
    series = _shifted(_product(t4_over_4 + t3, _THIRD) + t2, Int32.of(1))
    return _product(t + series, _EXP_OF_MINUS_EIGHTH) + _EXP_OF_MINUS_EIGHTH


def _inverse(fraction: Int32) -> Int32:
    """Return `1 / (1 + fraction)` in Q0.31, by three steps of Newton's iteration."""
    half = (fraction >> 1) + (1 << 30)
    x = _product(half, _SLOPE) + _START
    for _ in range(3):
        x += _product((1 << 29) - _product(x, half), x) << 2
    return minimum(x.extend(Int64) << 1, _LARGEST).truncate(Int32)


def _leading_zeros(value: Int32) -> Int32:
    """Return the number of zero bits above the highest set bit of a positive number."""
    zeros = Int32.of(0)
    for step in (16, 8, 4, 2, 1):
        is_short = (value.zero_extend(Int64) >> (32 - step)) == 0
        value = select(is_short, value << step, value)
        zeros = select(is_short, zeros + step, zeros)
    return zeros


def _product(a: Int32, b: SizeValue) -> Int32:
    """Return `a * b / 2**31`, halves up."""
    wide = b.extend(Int64) if isinstance(b, Int32) else b
    return ((a.extend(Int64) * wide + (1 << 30)) >> 31).truncate(Int32)


def _shifted(value: Int32, bits: Int32) -> Int32:
    """Return `value / 2**bits`, halves away from zero, for at least one bit."""
    magnitude = maximum(value, -value).extend(Int64) + (Int64.of(1) << (bits.extend(Int64) - 1))
    quotient = (magnitude >> bits.extend(Int64)).truncate(Int32)
    return select(value < 0, -quotient, quotient)
