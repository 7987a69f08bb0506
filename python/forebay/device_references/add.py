"""Elementwise addition with TFLite's requantisation."""

from __future__ import annotations

from forebay.tracing.control import loop
from forebay.tracing.integers import Int8, Int32
from forebay.tracing.pointers import TypedPointer
from forebay.tracing.requantise import requantise

_Scalar = Int32 | int
_LEFT_SHIFT = 20
"""TFLite adds 20 bits to both sides before it scales them."""


def int8_add(
    x: TypedPointer[Int8],
    other: TypedPointer[Int8],
    y: TypedPointer[Int8],
    *,
    count: _Scalar,
    x_zero_point: _Scalar,
    x_multiplier: _Scalar,
    x_shift: _Scalar,
    other_zero_point: _Scalar,
    other_multiplier: _Scalar,
    other_shift: _Scalar,
    multiplier: _Scalar,
    shift: _Scalar,
    y_zero_point: _Scalar,
    low: _Scalar,
    high: _Scalar,
) -> None:
    """Add `count` elements; each side and the sum have a factor, all as TFLite computes them."""
    for i in loop(count):
        left = (x[i].extend(Int32) - x_zero_point) << _LEFT_SHIFT
        right = (other[i].extend(Int32) - other_zero_point) << _LEFT_SHIFT
        total = requantise(left, x_multiplier, x_shift) + requantise(
            right, other_multiplier, other_shift
        )
        scaled = requantise(total, multiplier, shift, zero_point=y_zero_point, low=low, high=high)
        y[i] = scaled.truncate(Int8)
