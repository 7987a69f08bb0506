"""Scales of channels that are so small that each result is the zero point.

TFLite's quantiser gives a channel of weights that are 0 a tiny scale. Its shift would keep all
channels from the short forms of the requantisation, which take a shift of up to 53.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import tosa

from forebay.ir.epilogue import Rescale
from forebay.ir.fused import Convolution, Depthwise, TransposeConvolution, shape_of
from forebay.ir.memory.ranges_arith import SHORT_SHIFT_OF_LANES
from forebay.ir.tosa_constants import elements_of

_LARGEST_SHIFT = SHORT_SHIFT_OF_LANES.high
_SECOND_ROUNDING = 1 << 30


def replace_negligible_scales(conv: Convolution | Depthwise | TransposeConvolution) -> None:
    """Replace the factors of channels whose results are the zero point by 0, and their shifts.

    The sums of such a channel, with any weights of that type, are too small for another result.
    Changes the operands of the rescale. A convolution whose bias is not known stays as it is.
    """
    rescale, bias = conv.epilogue.rescale, elements_of(conv.bias)
    if rescale is None or not rescale.per_channel or not rescale.double_round or bias is None:
        return
    largest = np.abs(bias.astype(np.int64)) + _largest_sum(conv)
    multipliers, shifts = list(rescale.multipliers), list(rescale.shifts)
    for channel, bound in enumerate(np.broadcast_to(largest, len(shifts)).tolist()):
        product, shift = bound * multipliers[channel] + _SECOND_ROUNDING, shifts[channel]
        if shift > _LARGEST_SHIFT and product < 1 << (shift - 1):
            multipliers[channel], shifts[channel] = 0, _LARGEST_SHIFT
    if multipliers != [*rescale.multipliers]:
        _set_factors(rescale, multipliers, shifts)


def _largest_sum(conv: Convolution | Depthwise | TransposeConvolution) -> int:
    """Return a bound of the magnitudes of a sum of products, from the types of the elements."""
    shape = shape_of(conv.weights)
    points = math.prod(shape[:2]) if isinstance(conv, Depthwise) else math.prod(shape[1:])
    return points * _largest_magnitude(conv.source) * _largest_magnitude(conv.weights)


def _largest_magnitude(value: ir.Value) -> int:
    """Return the largest magnitude of an element minus its zero point."""
    element = ir.IntegerType(ir.RankedTensorType(value.type).element_type)
    return (1 << element.width) - 1


def _set_factors(rescale: Rescale, multipliers: list[int], shifts: list[int]) -> None:
    new: list[tuple[int, Any]] = [
        (1, np.array(multipliers, np.int32)),
        (2, np.array(shifts, np.int8)),
    ]
    with ir.InsertionPoint(rescale.op), rescale.op.location:
        for number, values in new:
            constant = tosa.ConstOp(ir.DenseElementsAttr.get(values)).result
            rescale.op.operation.operands[number] = constant
