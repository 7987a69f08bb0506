"""Sums of products that are exact for integers, computed in the narrowest sufficient floats.

A matrix product of floats takes milliseconds where one of integers takes seconds. Whatever the
order of the additions, no partial sum exceeds `largest |a| * sum of |b|` of a column. If this bound
is below two to the 24 (53), every partial sum is an integer that a float32 (float64) holds exactly.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from forebay.reference.types import Array

_EXACT: tuple[tuple[type[Any], int], ...] = ((np.float32, 1 << 24), (np.float64, 1 << 53))


def exact_dtype(a: Array, b: Array, axis: int | tuple[int, ...]) -> type[Any]:
    """Return the type in which to sum `a * b`; `axis` are the summed axes of `b`."""
    if a.dtype.kind == "f":
        return np.float64
    bound = magnitude(a) * int(np.abs(b.astype(np.float64)).sum(axis).max(initial=0))
    return next((dtype for dtype, limit in _EXACT if bound < limit), np.int64)


def magnitude(values: Array) -> int:
    """Return the largest absolute value."""
    if not values.size:
        return 0
    return max(int(values.max()), -int(values.min()))


def centred(values: Array, zero_point: Any) -> Array:
    """Return integers minus their zero point, in a sufficient type; return floats unchanged."""
    if values.dtype.kind == "f":
        return values
    zero = int(np.asarray(zero_point).flat[0])
    if values.dtype.itemsize == 1:
        return np.subtract(values, np.int16(zero), dtype=np.int16)
    return np.subtract(values, np.int64(zero), dtype=np.int64)


def matrix_product(a: Array, b: Array) -> Array:
    """Return `a @ b` of results of `centred`: the last axis of `a` by the last but one of `b`.

    The product of integers is int64, that of floats is in double precision.
    """
    dtype = exact_dtype(a, b, -2)
    product = np.matmul(a.astype(dtype), b.astype(dtype))
    return product if a.dtype.kind == "f" else product.astype(np.int64)
