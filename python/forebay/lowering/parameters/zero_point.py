"""Move the source's zero point out of the loops of a convolution, into its bias.

    bias + sum((x - z) * w)  =  (bias - (z + o) * sum(w)) + sum((x + o) * w)

The offset o that stays is 0, or 128 for processors whose products have a factor without sign.

This needs windows without padding, constant weights and bias, and sums that fit into 32 bits.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from mlir import ir
from mlir.dialects import tosa
from msgspec import structs
from numpy.typing import NDArray

from forebay.ir.fused import Convolution, Depthwise
from forebay.ir.tosa_constants import elements_of, is_zero

_Conv = TypeVar("_Conv", Convolution, Depthwise)
_LARGEST = 2**31 - 1
_LARGEST_ELEMENT = 128
"""The largest magnitude of an i8."""


def fold_source_zero_point(conv: _Conv, offset: int = 0) -> _Conv:
    """Return the same convolution that adds `offset` to its source, or unchanged if not possible.

    A convolution without a bias keeps its zero point, because it has no bias tensor. One whose
    source has no 8 bits keeps it unless it becomes 0.
    """
    moved = conv.source_zero_point + offset
    if moved == 0 or max(*conv.window.before, *conv.window.after) > 0:
        return conv
    element = ir.RankedTensorType(conv.source.type).element_type
    if offset and element != ir.IntegerType.get_signless(8):
        return conv
    weights, bias = elements_of(conv.weights), elements_of(conv.bias)
    if weights is None or bias is None or is_zero(conv.bias):
        return conv
    factors = weights.astype(np.int64) - conv.weights_zero_point
    sums, magnitudes = _per_channel(conv, factors), _per_channel(conv, np.abs(factors))
    folded = folded_bias(bias, -moved * sums, magnitudes, offset)
    if folded is None:
        return conv
    with conv.bias.location:
        numbers: Any = folded.astype(np.int32)
        constant = tosa.ConstOp(ir.DenseElementsAttr.get(numbers)).result
    return structs.replace(conv, bias=constant, source_zero_point=-offset)


def folded_bias(
    bias: NDArray[np.int64],
    change: NDArray[np.int64],
    magnitudes: NDArray[np.int64],
    offset: int,
) -> NDArray[np.int64] | None:
    """Return the bias with its change, or None if a sum may have more than 32 bits.

    `magnitudes` are the sums of the weights' magnitudes, by which elements of 8 bits, `offset`
    included, are multiplied.
    """
    folded = bias + change
    largest = np.abs(folded) + (_LARGEST_ELEMENT + abs(offset)) * magnitudes
    return None if largest.max() > _LARGEST else folded


def _per_channel(conv: Convolution | Depthwise, factors: NDArray[np.int64]) -> NDArray[np.int64]:
    if isinstance(conv, Convolution):
        return factors.sum(axis=(1, 2, 3))
    return factors.sum(axis=(0, 1)).reshape(-1)
