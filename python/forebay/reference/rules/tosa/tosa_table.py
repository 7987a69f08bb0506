"""TABLE: 256 entries of 8 bits, or 513 of 16 bits with linear interpolation."""

from __future__ import annotations

import numpy as np
from mlir.dialects import tosa

from forebay.reference.registry import Function, function
from forebay.reference.types import Array, dtype_of, width_of


@function(tosa.TableOp)
def table(op: tosa.TableOp) -> Function:
    """Look up each element.

    For a 16-bit element, the result is interpolated between two entries and has 7 more bits.
    """
    if width_of(op.operands[0].type) == 8:
        return lambda values, entries: entries[values.astype(np.int64) + 128]
    dtype = dtype_of(op.results[0].type, op)

    def interpolated(values: Array, entries: Array) -> Array:
        wide, steps = values.astype(np.int64), entries.astype(np.int64)
        index, fraction = (wide >> 7) + 256, wide & 0x7F
        base = steps[index]
        return ((base << 7) + (steps[index + 1] - base) * fraction).astype(dtype)

    return interpolated
