"""Constants of which channels are interleaved: neighbouring channels are neighbours in memory.

    [O][R]    o0r0 o0r1 o0r2 ..  o1r0 o1r1 o1r2 ..      as in the model
    by 8      o0r0 o1r0 .. o7r0  o0r1 o1r1 .. o7r1 ..   [O / 8][R][8]

The type of the constant is as in the model, and it has as many bytes. Only the order of its
elements differs, which the attribute tells all that read or replace them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import memref
from numpy.typing import NDArray

INTERLEAVED = "accel.interleaved"
"""The attribute of a `memref.global`: the number of channels that are neighbours."""


def interleaved_channels(op: memref.GlobalOp) -> int:
    """Return how many channels of a constant are neighbours in memory; 1 if none are."""
    if INTERLEAVED not in op.attributes:
        return 1
    return ir.IntegerAttr(op.attributes[INTERLEAVED]).value


def interleave(values: NDArray[Any], channels: int) -> NDArray[Any]:
    """Return an array of the same shape with the elements in the order of the memory.

    The first axis counts channels and is a multiple of `channels`.
    """
    blocks = values.reshape(values.shape[0] // channels, channels, -1)
    return np.ascontiguousarray(blocks.swapaxes(1, 2)).reshape(values.shape)
