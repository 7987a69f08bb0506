"""TFLite's int8 hard swish of one element, in 16-bit fixed point.

Source: TFLite `reference/hard_swish.h` and TFLite Micro `hard_swish_common.cc`.
"""

from __future__ import annotations

from msgspec import Struct

from forebay.frontends.tflite.file.schema import TfliteQuantization
from forebay.frontends.tflite.lowering.fixed_point import divide_by_power_of_two, high_multiply
from forebay.frontends.tflite.lowering.quantize import Multiplier

FINE = 128.0
"""The number of steps of the fine input scale in one step of the input's scale."""
RELUISH_SCALE = 3.0 / 32768.0
_BITS = 16
_MOST = (1 << 15) - 1
_LEAST = -(1 << 15)


class HardSwish(Struct, frozen=True):
    """The function on one element; both multipliers have significands of 16 bits."""

    input_zero_point: int
    output_zero_point: int
    output: Multiplier
    reluish: Multiplier

    @classmethod
    def of(
        cls,
        source: TfliteQuantization,
        target: TfliteQuantization,
        output: Multiplier,
        reluish: Multiplier,
    ) -> HardSwish:
        """Build it from the two quantisations, and the multipliers to both scales."""
        return cls(source.zero_point, target.zero_point, _narrow(output), _narrow(reluish))

    def __call__(self, x: int) -> int:
        """Return the element on the output's scale, not saturated."""
        fine = (x - self.input_zero_point) << 7
        scaled = high_multiply(fine, self.output.significand, bits=16)
        product = self._gate(fine) * scaled
        truncated = abs(product) >> 15
        value = truncated if product >= 0 else -truncated
        return _divide(value, -self.output.exponent) + self.output_zero_point

    def _gate(self, fine: int) -> int:
        """Return `(x + 3) / 6`, saturated to [0, 1), in Q0.15."""
        exponent = self.reluish.exponent
        value = _shift_left(fine, exponent - 1) if exponent > 0 else fine
        value = high_multiply(value, self.reluish.significand, bits=16)
        if exponent > 0:
            value = _shift_left(value, 1)
        if exponent < 0:
            value = _divide(value, -exponent)
        return (value + (1 << 15)) >> 1


def _divide(value: int, exponent: int) -> int:
    """Divide as gemmlowp's RoundingDivideByPOT in 16 bits, whose mask wraps from exponent 16 on.

    There the remainder of a value >= 0 is above the threshold of -1, so the result is 1; for a
    negative value it is -1.
    """
    if exponent < _BITS:
        return divide_by_power_of_two(value, exponent)
    return 1 if value >= 0 else -1


def _narrow(multiplier: Multiplier) -> Multiplier:
    significand = min((multiplier.significand + (1 << 15)) >> 16, _MOST)
    return Multiplier(significand, multiplier.exponent)


def _shift_left(value: int, amount: int) -> int:
    return max(_LEAST, min(_MOST, value << amount))
