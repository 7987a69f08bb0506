"""Weights, biases and scale factors in the engine's layout, computed at compile time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from forebay.api import operators
from forebay.api.operators import elements_of
from forebay.targets.fetch_conv.layout import BLOCK, blocks_of
from forebay.targets.fetch_conv.shape import Folded, Weighted, folded

_TABLE_BYTES = 3 * BLOCK * 4
"""The bytes of one output block's table: biases, multipliers and shifts."""

_HARMLESS_SHIFT = 31
"""The shift of channels that only fill a block: their multiplier is 0; a shift must be above 1."""


def is_depthwise(view: Weighted) -> bool:
    """Return whether each output channel reads one of several input channels."""
    return isinstance(view, operators.Depthwise) and operators.shape_of(view.source)[3] != 1


def weights(view: Weighted, fold: Folded) -> NDArray[np.int8]:
    """Lay out the weights.

    Dense: `[output blocks][16][input blocks][ky][kx][16]`; depthwise: `[blocks][16][1][ky][kx][1]`.
    """
    elements = elements_of(view.weights)
    assert elements is not None
    if is_depthwise(view):
        channels = _fill(elements[:, :, :, 0].transpose(2, 0, 1), 0)
        return channels.reshape(-1, BLOCK, 1, *channels.shape[1:], 1)
    if isinstance(view, operators.Depthwise):
        # kernel rows, kernel columns, the one input channel, output channels
        elements = elements.transpose(3, 0, 1, 2)
    dense = _fill(_fill(_fold(elements, fold), 0), 3)
    outputs, height, width, inputs = dense.shape
    split = dense.reshape(outputs // BLOCK, BLOCK, height, width, inputs // BLOCK, BLOCK)
    return np.ascontiguousarray(split.transpose(0, 1, 4, 2, 3, 5))


def requantisation_table(view: Weighted) -> NDArray[np.int32]:
    """Return the table `[output blocks][bias, multiplier, shift][16]`."""
    rescale, bias = view.epilogue.rescale, elements_of(view.bias)
    assert rescale is not None
    assert bias is not None
    channels = operators.shape_of(view.result)[3]
    rows = np.zeros((3, blocks_of(channels) * BLOCK), np.int32)
    rows[2] = _HARMLESS_SHIFT
    for row, values in zip(rows, (bias, rescale.multipliers, rescale.shifts), strict=True):
        row[:channels] = values
    return np.ascontiguousarray(rows.reshape(3, -1, BLOCK).transpose(1, 0, 2))


def bytes_per_block(view: Weighted) -> int:
    """Return the bytes of weights and table for 16 output channels."""
    fold = folded(view)
    inputs = 1
    if not is_depthwise(view):
        channels = operators.shape_of(view.source)[3] * fold.by[0] * fold.by[1]
        inputs = blocks_of(channels) * BLOCK
    return BLOCK * inputs * fold.kernel[0] * fold.kernel[1] + _TABLE_BYTES


def _fold(ohwi: NDArray[np.int8], fold: Folded) -> NDArray[np.int8]:
    """Fold rows and columns into channels, as the source: `[o][ky][kx][row, column, channel]`."""
    outputs, height, width, inputs = ohwi.shape
    (by_y, by_x), (rows, columns) = fold.by, fold.kernel
    padding = [(0, 0), (0, rows * by_y - height), (0, columns * by_x - width), (0, 0)]
    split = np.pad(ohwi, padding).reshape(outputs, rows, by_y, columns, by_x, inputs)
    return split.transpose(0, 1, 3, 2, 4, 5).reshape(outputs, rows, columns, -1)


def _fill(elements: NDArray[np.int8], axis: int) -> NDArray[np.int8]:
    """Pad an axis with zeros to whole blocks."""
    padding = [(0, 0)] * elements.ndim
    padding[axis] = (0, -elements.shape[axis] % BLOCK)
    return np.pad(elements, padding)
