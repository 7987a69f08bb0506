"""Floats as NumPy scalars of their width, so that every operation rounds as the type does."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir

_TYPES: dict[type[ir.Type], type[np.floating[Any]]] = {
    ir.F16Type: np.float16,
    ir.F32Type: np.float32,
    ir.F64Type: np.float64,
}


def float_of(type_: ir.Type) -> type[np.floating[Any]]:
    """Return the NumPy scalar type of a float type; raises `TypeError` if NumPy has none."""
    if type(type_) not in _TYPES:
        raise TypeError(f"{type_} is no float that the emulator computes with")
    return _TYPES[type(type_)]


def is_float(type_: ir.Type) -> bool:
    """Return whether values of the type are floats."""
    return isinstance(type_, ir.FloatType)
