"""TFLite's int8 hard swish of one element, in 16-bit fixed point.

Source: TFLite `reference/hard_swish.h` and TFLite Micro `hard_swish_common.cc`.
"""

from __future__ import annotations

from dataclasses import dataclass

from forebay.frontends.tflite.fixed_point import divide_by_power_of_two, high_multiply
from forebay.frontends.tflite.quantize import Multiplier, quantize_multiplier
from forebay.frontends.tflite.schema import Quantization

_MOST = (1 << 15) - 1
_LEAST = -(1 << 15)


@dataclass(frozen=True)
class HardSwish:
    """The function of one element; both multipliers have significands of 16 bits."""

    input_zero_point: int
    output_zero_point: int
    output: Multiplier
    reluish: Multiplier

    @classmethod
    def of(cls, source: Quantization, target: Quantization) -> HardSwish:
        """From the quantisation of the input and of the output."""
        fine = source.scale / 128.0
        return cls(
            source.zero_point,
            target.zero_point,
            _narrow(quantize_multiplier(fine / target.scale)),
            _narrow(quantize_multiplier(fine / (3.0 / 32768.0))),
        )

    def __call__(self, x: int) -> int:
        """The element on the output's scale, not saturated."""
        fine = (x - self.input_zero_point) << 7
        scaled = high_multiply(fine, self.output.significand, bits=16)
        product = self._gate(fine) * scaled
        truncated = abs(product) >> 15
        value = truncated if product >= 0 else -truncated
        return divide_by_power_of_two(value, -self.output.exponent) + self.output_zero_point

    def _gate(self, fine: int) -> int:
        """`(x + 3) / 6`, saturated to [0, 1), in Q0.15."""
        exponent = self.reluish.exponent
        value = _shift_left(fine, exponent - 1) if exponent > 0 else fine
        value = high_multiply(value, self.reluish.significand, bits=16)
        if exponent > 0:
            value = _shift_left(value, 1)
        if exponent < 0:
            value = divide_by_power_of_two(value, -exponent)
        return (value + (1 << 15)) >> 1


def _narrow(multiplier: Multiplier) -> Multiplier:
    significand = min((multiplier.significand + (1 << 15)) >> 16, _MOST)
    return Multiplier(significand, multiplier.exponent)


def _shift_left(value: int, amount: int) -> int:
    return max(_LEAST, min(_MOST, value << amount))
