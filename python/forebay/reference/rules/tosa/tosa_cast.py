"""CAST: integers to integers by bits; floats to integers rounded half to even and saturated."""

from __future__ import annotations

import numpy as np
from mlir.dialects import tosa

from forebay.reference.registry import Function, function
from forebay.reference.types import (
    Array,
    dtype_of,
    is_float,
    limits_of,
    width_of,
    wrapped,
)


@function(tosa.CastOp)
def cast(op: tosa.CastOp) -> Function:
    """Convert the values to another type."""
    source, target = op.operands[0].type, op.results[0].type
    dtype = dtype_of(target, op)
    if is_float(target):
        return lambda a: a.astype(dtype)
    if width_of(target) == 1:
        return lambda a: a != 0
    if not is_float(source):
        return lambda a: wrapped(a, target, op)
    low, high = limits_of(target)

    def rounded(values: Array) -> Array:
        whole = np.rint(values.astype(np.float64))
        inside = np.where((whole > low) & (whole < high), whole, 0).astype(np.int64)
        return np.where(whole >= high, high, np.where(whole <= low, low, inside)).astype(dtype)

    return rounded
