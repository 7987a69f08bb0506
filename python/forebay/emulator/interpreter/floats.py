"""Floats of a width as NumPy scalars, so that every operation rounds as the type does."""

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
    """NumPy's scalar of a float type; raises `TypeError` for one that NumPy does not have."""
    if type(type_) not in _TYPES:
        raise TypeError(f"{type_} is no float that the emulator computes with")
    return _TYPES[type(type_)]


def is_float(type_: ir.Type) -> bool:
    """Whether values of the type are floats."""
    return isinstance(type_, ir.FloatType)
