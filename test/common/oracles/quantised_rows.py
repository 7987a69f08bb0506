"""Rows of floats as int8, as LiteRT quantises them at run time, in NumPy."""

from __future__ import annotations

import numpy as np


def asymmetric(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values without their zero point, and the factor of each row."""
    low = np.minimum(0, x.min(-1)).astype(np.float64)
    high = np.maximum(0, x.max(-1)).astype(np.float64)
    scale = np.where(low == high, 1, (high - low) / 255)
    from_low, from_high = -128 - low / scale, 127 - high / scale
    is_low = 128 + abs(low / scale) < 127 + abs(high / scale)
    zero = np.where(low == high, 0, np.floor(np.where(is_low, from_low, from_high) + 0.5))
    zero, factor = zero.clip(-128, 127)[..., None], scale.astype(np.float32)
    inverse = (1 / factor.astype(np.float64)).astype(np.float32)[..., None]
    scaled = zero.astype(np.float32) + x * inverse
    stored = np.copysign(np.floor(abs(scaled.astype(np.float64)) + 0.5), scaled).clip(-128, 127)
    return stored - zero, factor


def symmetric(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Stored values, and the factor of each row."""
    largest = np.abs(x).max(-1)
    used = np.where(largest == 0, np.float32(1), largest)
    scaled = x * (np.float32(127) / used)[..., None]
    stored = np.copysign(np.floor(np.abs(scaled.astype(np.float64)) + 0.5), scaled)
    return stored, np.where(largest == 0, np.float32(1), largest / np.float32(127))
