"""TFLite Micro's arithmetic of scales, in the same precision step by step.

Sources: TFLite Micro `quantization_util.cc` (`QuantizeMultiplier`), `kernel_util.cc`
(`CalculateActivationRangeQuantized`, `GetQuantizedConvolutionMultipler`), and the TOSA 1.0
specification of RESCALE, whose DOUBLE_ROUND mode is TFLite's `MultiplyByQuantizedMultiplier`:
with `shift = 31 - exponent` both give `round(round(x * significand / 2**31) / 2**-exponent)`,
where the inner rounding takes halves up and the outer one away from zero.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

_BITS = 31
_LOWEST_EXPONENT = -31
_ZERO_POINT = 128
"""The largest magnitude of a zero point of int8."""
LARGEST_EXPONENT = 29
"""Of a TOSA multiplier: its shift is at least 2."""


@dataclass(frozen=True)
class Multiplier:
    """`significand * 2**(exponent - 31)`, the significand in [2**30, 2**31) or zero."""

    significand: int
    exponent: int

    @property
    def shift(self) -> int:
        """TOSA's shift, which counts to the right from the product."""
        return _BITS - self.exponent


IDENTITY = Multiplier(1 << 30, 1)
"""The number one: `x * 2**30 >> 30`."""


def quantize_multiplier(real: float, largest_exponent: int = LARGEST_EXPONENT) -> Multiplier:
    """The closest 31-bit multiplier; a `real` below 2**-32 becomes zero.

    Raises OverflowError where its exponent exceeds the largest one.
    """
    if real == 0.0:
        return Multiplier(0, 0)
    fraction, exponent = math.frexp(real)
    significand = math.floor(fraction * (1 << _BITS) + 0.5)
    if significand == 1 << _BITS:
        significand //= 2
        exponent += 1
    if exponent < _LOWEST_EXPONENT:
        return Multiplier(0, 0)
    if exponent > largest_exponent:
        raise OverflowError(f"a rescaling by {real:g} does not fit into 32 bits")
    return Multiplier(significand, exponent)


def leaves_32_bits(reach: int, by: Multiplier) -> bool:
    """Whether a value up to `reach` away from zero overflows in TFLite's product.

    `MultiplyByQuantizedMultiplier` shifts the value left by the exponent before it multiplies, in
    32 bits, and a zero point is added to the product: beyond them its results are undefined.
    """
    return (reach << max(by.exponent, 0)) + _ZERO_POINT >= 1 << 31


def multiply(value: int, by: Multiplier) -> int:
    """TFLite's `MultiplyByQuantizedMultiplier`, of a value that does not leave 32 bits."""
    shifted = value << max(by.exponent, 0)
    high = (shifted * by.significand + (1 << 30)) >> 31
    return rounding_divide_by_power_of_two(high, max(-by.exponent, 0))


def rounding_divide_by_power_of_two(value: int, exponent: int) -> int:
    """Divide by 2**exponent, halves away from zero."""
    if exponent == 0:
        return value
    magnitude = (abs(value) + (1 << (exponent - 1))) >> exponent
    return magnitude if value >= 0 else -magnitude


def round_half_away(value: np.float32) -> int:
    """C's `roundf`."""
    magnitude = math.floor(abs(float(value)) + 0.5)
    return magnitude if value >= 0 else -magnitude


def quantize_float(real: float, scale: float, zero_point: int) -> int:
    """`zero_point + round(real / scale)` with the division in float32."""
    return zero_point + round_half_away(np.float32(real) / np.float32(scale))
