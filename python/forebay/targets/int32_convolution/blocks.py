"""Weights in blocks of the machine's array, with zeros where channels only fill a block."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from forebay.targets.int32_convolution.geometry import LayerGeometry
from forebay.targets.int32_convolution.layers import Layer


def channel_blocks(channels: int, lanes: int) -> int:
    """Return the number of blocks that hold this many channels."""
    return -(-channels // lanes)


def block_rows(geometry: LayerGeometry, lanes: int) -> int:
    """Return the inputs of a block of weights: `lanes`, or all inputs of a layer with fewer."""
    return lanes if geometry.depthwise else min(lanes, geometry.depth)


def blocked_weights(
    layer: Layer, lanes: int, inputs_of_block: int | None = None
) -> NDArray[np.int8]:
    """Return the weights in blocks of `lanes` outputs and as many inputs.

    Blocks of a dense layer may have another number of inputs, such as `block_rows`. The shape is
    `[output blocks][input blocks][kernel rows][kernel columns][inputs][outputs]`. A depthwise layer
    has one input block for each output block, with its weights on the diagonal.
    """
    if layer.geometry.depthwise:
        return _diagonal(layer.weights[:, :, :, 0], lanes)
    height = inputs_of_block or lanes
    filled = _filled(_filled(layer.weights, 0, lanes), 3, height)
    outputs, rows, columns, inputs = filled.shape
    split = filled.reshape(outputs // lanes, lanes, rows, columns, inputs // height, height)
    return np.ascontiguousarray(split.transpose(0, 4, 2, 3, 5, 1))


def _diagonal(weights: NDArray[np.int8], lanes: int) -> NDArray[np.int8]:
    filled = _filled(weights, 0, lanes)
    channels, rows, columns = filled.shape
    blocks = np.zeros((channels // lanes, 1, rows, columns, lanes, lanes), np.int8)
    split = filled.reshape(channels // lanes, lanes, rows, columns)
    for lane in range(lanes):
        blocks[:, 0, :, :, lane, lane] = split[:, lane]
    return blocks


def _filled(elements: NDArray[np.int8], axis: int, lanes: int) -> NDArray[np.int8]:
    padding = [(0, 0)] * elements.ndim
    padding[axis] = (0, -elements.shape[axis] % lanes)
    return np.pad(elements, padding)
