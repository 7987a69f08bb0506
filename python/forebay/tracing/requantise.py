"""TFLite's requantisation of sums, on traced integers."""

from __future__ import annotations

from forebay.tracing.functions import clip, select
from forebay.tracing.integers import Int32, Int64, limits_of_type

_LEAST, _LARGEST = limits_of_type(Int32)


def requantise(
    total: Int32,
    multiplier: Int32 | int,
    shift: Int32 | int,
    *,
    zero_point: Int32 | int = 0,
    low: Int32 | int = _LEAST,
    high: Int32 | int = _LARGEST,
) -> Int32:
    """Return `total * multiplier / 2**shift + zero_point` in `[low, high]`, rounded as TFLite does.

    `shift`, from 1 to 62, is that of TOSA: 31 minus TFLite's exponent. Above 31, TFLite rounds
    twice: halves up at 31 bits (gemmlowp's SaturatingRoundingDoublingHighMul), then halves away
    from zero (RoundingDivideByPOT). All is computed in 64 bits; only the result is narrowed.
    """
    bits = _wide(shift)
    half = Int64.of(1) << (bits - 1)
    away = select(total < 0, Int64.of(-(1 << 30)), 1 << 30)
    rounding = half + select(bits > 31, away, 0)
    quotient = (total.extend(Int64) * _wide(multiplier) + rounding) >> bits
    return clip(quotient + _wide(zero_point), _wide(low), _wide(high)).truncate(Int32)


def _wide(value: Int32 | int) -> Int64:
    return value.extend(Int64) if isinstance(value, Int32) else Int64.of(value)
