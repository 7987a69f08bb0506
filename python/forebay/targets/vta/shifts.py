"""Requantisations that the machine's ALU computes: factors that are one power of two.

The ALU shifts right, which rounds down. A sum plus half of the divisor, which the bias includes, is
so rounded to the nearest number, halves up. TFLite rounds negative halves down; a requantisation
with its double rounding is computed like this only if the user allows other bits.
"""

from __future__ import annotations

import numpy as np

from forebay.targets.int32_convolution.layers import Layer

_MOST_SHIFT = 30


def shift_of(layer: Layer, *, is_relaxed: bool = False) -> int | None:
    """Return by how many bits the machine shifts the sums right; None if it cannot.

    With `is_relaxed`, TFLite's second rounding is ignored.
    """
    requantisation = layer.requantisation
    if requantisation.double_round and not is_relaxed:
        return None
    multipliers = [int(multiplier) for multiplier in requantisation.multipliers]
    if any(multiplier <= 0 or multiplier & (multiplier - 1) for multiplier in multipliers):
        return None
    exponents = [multiplier.bit_length() - 1 for multiplier in multipliers]
    pairs = zip(requantisation.shifts, exponents, strict=True)
    shifts = {int(shift) - exponent for shift, exponent in pairs}
    shift = shifts.pop()
    # A sum with half of the divisor must fit 32 bits.
    fits = largest_sum(layer) + half_of(shift) < 1 << 31
    return shift if not shifts and 0 <= shift <= _MOST_SHIFT and fits else None


def half_of(shift: int) -> int:
    """Return what is added to a sum before the shift."""
    return 1 << (shift - 1) if shift > 0 else 0


def largest_sum(layer: Layer) -> int:
    """Return a number that no sum exceeds in magnitude, whatever the image."""
    weights = np.abs(layer.weights.astype(np.int64)).sum(axis=(1, 2, 3)) * 128
    return int((weights + np.abs(layer.bias.astype(np.int64))).max(initial=0))
