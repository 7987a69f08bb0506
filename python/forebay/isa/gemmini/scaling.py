"""The arithmetic of scales, shifts and activations, in the rounding of the hardware."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebay.isa.gemmini.instructions import GemminiActivation

_INT8 = (-128, 127)
_SIMULATOR_LIMIT = np.float32(2.0**63)


def scaled_int8(values: NDArray[Any], scale: float) -> NDArray[np.int8]:
    """Return `clip(round(float32(x) * scale))`: one float32 product, ties to even.

    Where `too_large`, the result is -128 as on the functional simulator.
    """
    product = values.astype(np.float32) * np.float32(scale)
    finite = np.where(np.abs(product) < _SIMULATOR_LIMIT, product, np.float32(-128))
    return np.clip(np.rint(finite), *_INT8).astype(np.int8)


def too_large(values: NDArray[Any], scale: float) -> bool:
    """Return whether simulator and hardware saturate some scaled value differently."""
    with np.errstate(over="ignore"):
        product = values.astype(np.float32) * np.float32(scale)
    return bool(np.any(np.abs(product) >= _SIMULATOR_LIMIT))


def shifted_int8(values: NDArray[np.int32], shift: int) -> NDArray[np.int8]:
    """Return `clip(round(x / 2**shift))`, ties to even."""
    wide = values.astype(np.int64)
    if shift:
        floor = wide >> shift
        rest = wide - (floor << shift)
        half = 1 << (shift - 1)
        wide = floor + ((rest > half) | ((rest == half) & (floor & 1 == 1)))
    return np.clip(wide, *_INT8).astype(np.int8)


def activated(values: NDArray[Any], activation: GemminiActivation) -> NDArray[Any]:
    """Return the values after the activation."""
    return np.maximum(values, 0) if activation is GemminiActivation.RELU else values
