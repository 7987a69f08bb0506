"""Integer arithmetic that several families of ops share."""

from __future__ import annotations

from typing import Any

import numpy as np

from forebay.reference.types import Array


def divide_to_zero(a: Any, b: Any) -> Array:
    """Return the quotient of signed integers rounded toward zero; a division by 0 gives 0."""
    quotient, remainder = np.floor_divide(a, b), np.remainder(a, b)
    upwards = (remainder != 0) & ((np.asarray(a) < 0) != (np.asarray(b) < 0))
    return np.where(np.equal(b, 0), 0, quotient + upwards).astype(np.asarray(a).dtype)


def apply_scale_32(values: Array, multiplier: Array, shift: Array, *, double_round: bool) -> Array:
    """Compute TOSA's `apply_scale_32`: `values * multiplier / 2**shift`, shifts from 2 to 62.

    Rounds half up; with `double_round` it first rounds at 31 bits, half away from zero. The result
    is exact for 32-bit values and is not reduced to 32 bits.
    """
    shift = np.asarray(shift).astype(np.int64)
    half = np.left_shift(np.int64(1), shift - 1)
    product = np.multiply(values, np.asarray(multiplier).astype(np.int64), dtype=np.int64)
    if double_round and np.any(shift > 31):
        once_more = np.where(shift > 31, np.int64(1 << 30), np.int64(0))
        product += np.where(np.asarray(values) >= 0, half + once_more, half - once_more)
    else:
        product += half
    return np.right_shift(product, shift, out=product if product.ndim else None)


def apply_scale_16(values: Array, multiplier: Array, shift: Array) -> Array:
    """Compute TOSA's `apply_scale_16`: 48-bit values times a 16-bit factor, rounded half up."""
    shift = np.asarray(shift).astype(np.int64)
    product = np.asarray(values).astype(np.int64) * np.asarray(multiplier).astype(np.int64)
    return (product + np.left_shift(np.int64(1), shift - 1)) >> shift


def leading_zeros(values: Array, bits: int) -> Array:
    """Return the number of leading zeros of unsigned integers of the given width."""
    count = np.zeros(np.shape(values), np.int64)
    for bit in range(bits):
        count = np.where(np.right_shift(values, bit) != 0, bit + 1, count)
    return bits - count
