"""The arithmetic of scales in TFLite Micro, with the same precision in each step.

Sources: TFLite Micro `quantization_util.cc` (`QuantizeMultiplier`), `kernel_util.cc`
(`CalculateActivationRangeQuantized`, `GetQuantizedConvolutionMultipler`), and the TOSA 1.0
specification of RESCALE, whose DOUBLE_ROUND mode is TFLite's `MultiplyByQuantizedMultiplier`:
with `shift = 31 - exponent` both give `round(round(x * significand / 2**31) / 2**-exponent)`,
where the inner rounding takes halves up and the outer one away from zero.
"""

from __future__ import annotations

import math

import numpy as np
from msgspec import Struct

_BITS = 31
_LOWEST_EXPONENT = -31
_ZERO_POINT = 128
"""The largest magnitude of an int8 zero point."""
LARGEST_EXPONENT = 29
"""The largest exponent of a TOSA multiplier, whose shift is at least 2."""


class Multiplier(Struct, frozen=True):
    """The number `significand * 2**(exponent - 31)`; significand in [2**30, 2**31), or zero."""

    significand: int
    exponent: int

    @property
    def shift(self) -> int:
        """The shift in TOSA's form: the product is shifted right by it."""
        return _BITS - self.exponent


IDENTITY = Multiplier(1 << 30, 1)
"""The multiplier 1: `x * 2**30 >> 30`."""


def quantize_multiplier(real: float, largest_exponent: int = LARGEST_EXPONENT) -> Multiplier:
    """Return the closest 31-bit multiplier; a `real` below 2**-32 becomes zero.

    Raises OverflowError when the exponent exceeds the largest one.
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
    """Return whether a value in `[-reach, reach]` overflows in TFLite's product.

    `MultiplyByQuantizedMultiplier` shifts the value left by the exponent, in 32 bits, before it
    multiplies, and a zero point is added to the product. Outside 32 bits its results are undefined.
    """
    return (reach << max(by.exponent, 0)) + _ZERO_POINT >= 1 << 31


def multiply_by_quantized_multiplier(value: int, by: Multiplier) -> int:
    """Return TFLite's `MultiplyByQuantizedMultiplier`, of a value that stays within 32 bits."""
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
    """Round as C's `roundf`: halves away from zero."""
    magnitude = math.floor(abs(float(value)) + 0.5)
    return magnitude if value >= 0 else -magnitude


def quantize_float(real: float, scale: float, zero_point: int) -> int:
    """Return `zero_point + round(real / scale)` with the division in float32."""
    return zero_point + round_half_away(np.float32(real) / np.float32(scale))
