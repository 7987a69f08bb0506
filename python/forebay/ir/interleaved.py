"""Constants of which channels are interleaved: neighbouring channels are neighbours in memory.

    [O][R]           o0r0 o0r1 o0r2 ..  o1r0 o1r1 o1r2 ..      as in the model
    by 8             o0r0 o1r0 .. o7r0  o0r1 o1r1 .. o7r1 ..   [O / 8][R][8]
    by 8, words of 2 o0r0 o0r1 o1r0 o1r1 .. o7r0 o7r1  o0r2 .. [O / 8][R / 2][8][2]

The type of the constant is as in the model, and it has as many bytes. Only the order of its
elements differs, which the attribute tells all that read or replace them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import memref
from msgspec import Struct
from numpy.typing import NDArray

INTERLEAVED = "accel.interleaved"
"""The attribute of a `memref.global`: the number of channels that are neighbours."""
INTERLEAVED_WORD = "accel.interleaved_word"
"""The attribute of a `memref.global`: how many elements of a channel stay neighbours, if not 1."""
MODEL_SHAPE = "accel.model_shape"
"""The attribute of a `memref.global` with more elements than in the model: the shape of those.

Behind them are zeros, or with `REPEATED` the same elements from the first one on.
"""
REPEATED = "accel.repeated"
"""The unit attribute of a `memref.global` whose elements begin again behind those of the model."""


class Interleaving(Struct, frozen=True):
    """The order of the elements of a constant.

    So many `channels` are neighbours in memory, each with a `word` of elements.
    """

    channels: int = 1
    word: int = 1

    def __bool__(self) -> bool:
        """Return whether the order differs from that of the model."""
        return self.channels > 1

    def fits(self, shape: tuple[int, ...]) -> bool:
        """Return whether an array of this shape can have the order."""
        channels, *others = shape or (1,)
        return channels % self.channels == 0 and math.prod(others) % self.word == 0


def interleaving_of(op: memref.GlobalOp) -> Interleaving:
    """Return the order of the elements of a constant."""
    channels, word = (
        ir.IntegerAttr(op.attributes[name]).value if name in op.attributes else 1
        for name in (INTERLEAVED, INTERLEAVED_WORD)
    )
    return Interleaving(channels, word)


def model_shape_of(op: memref.GlobalOp) -> tuple[int, ...] | None:
    """Return the shape that a constant has in the model, or None if it has no more elements."""
    if MODEL_SHAPE not in op.attributes:
        return None
    return tuple(ir.DenseI64ArrayAttr(op.attributes[MODEL_SHAPE]))


def repeats_model(op: memref.GlobalOp) -> bool:
    """Return whether the elements behind those of the model are the same from the first one on."""
    return REPEATED in op.attributes


def set_interleaving(op: memref.GlobalOp, order: Interleaving) -> None:
    """Write the order of the elements of a constant into its attributes."""
    type_ = ir.IntegerType.get_signless(64)
    op.attributes[INTERLEAVED] = ir.IntegerAttr.get(type_, order.channels)
    if order.word > 1:
        op.attributes[INTERLEAVED_WORD] = ir.IntegerAttr.get(type_, order.word)


def interleave(values: NDArray[Any], order: Interleaving) -> NDArray[Any]:
    """Return an array of the same shape with the elements in the order of the memory.

    The first axis counts channels. Raises `ValueError` for a shape that the order does not fit.
    """
    blocks = values.reshape(values.shape[0] // order.channels, order.channels, -1, order.word)
    return np.ascontiguousarray(blocks.swapaxes(1, 2)).reshape(values.shape)


def extended(values: NDArray[Any], shape: tuple[int, ...], *, repeats: bool) -> NDArray[Any]:
    """Return an array of the model with more elements behind: zeros, or the first ones again."""
    behind = [(0, wide - own) for own, wide in zip(values.shape, shape, strict=True)]
    return np.pad(values, behind, mode="wrap" if repeats else "constant")
