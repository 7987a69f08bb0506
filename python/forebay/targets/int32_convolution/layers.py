"""Operators as one kind of layer: int8 weights, sums of int32 with a bias, and a requantisation.

    sum(y, x, c) = bias(c) + sum over the window of source * weights(c)

with the source's stored values, zero point and all. The bias has that corrected:

    sum of (source - z) * w + bias = sum of source * w + (bias - z * sum of w)

This is exact if the window's padding has the value `z`, too.
"""

from __future__ import annotations

import numpy as np
from mlir import ir
from msgspec import Struct
from numpy.typing import NDArray

from forebay.api import operators
from forebay.api.operators import Convolution, Depthwise, MatMul, Window, elements_of, shape_of
from forebay.api.target import Emit
from forebay.targets.int32_convolution.geometry import LayerGeometry

LayerView = Convolution | Depthwise | MatMul
"""The views of operators that are layers."""


class ChannelRequantisation(Struct, frozen=True, eq=False):
    """The end of a sum as int8: a factor per channel, the zero point, and the result's bounds.

    With `double_round`, shifts above 31 round twice, as TFLite does.
    """

    multipliers: NDArray[np.int32]
    shifts: NDArray[np.int8]
    zero_point: int
    low: int
    high: int
    double_round: bool


class Layer(Struct, frozen=True, eq=False):
    """A convolution of one image with int8 weights and int32 sums.

    `weights` are `[y_depth][kernel rows][kernel columns][depth]`; those of a depthwise layer
    `[depth][kernel rows][kernel columns][1]`. `border` is the value of padding, and `bias` includes
    the source's zero point. `weights_like` and `bias_like` are the model's constants.
    """

    geometry: LayerGeometry
    weights: NDArray[np.int8]
    bias: NDArray[np.int32]
    border: int
    requantisation: ChannelRequantisation
    weights_like: ir.Value
    bias_like: ir.Value | None


def layer_of(view: LayerView) -> Layer:
    """Return the layer of an operator that meets the conditions of `conditions`.

    An operator that multiplies every vector of channels by one matrix is an image of one column
    whose rows are all vectors, those of a batch, too.
    """
    weights, depthwise = _weights_of(view)
    channels = shape_of(view.result)[-1]
    bias = np.zeros(channels, np.int64)
    bias_like = view.bias
    if bias_like is not None:
        bias += _required(bias_like).reshape(-1)
    border = view.source_zero_point
    bias -= border * weights.astype(np.int64).sum(axis=(1, 2, 3))
    return Layer(
        _geometry(view, weights, depthwise=depthwise),
        weights,
        bias.astype(np.int32),  # wraps, as the sums do
        border,
        _requantisation(view, channels),
        view.other if isinstance(view, MatMul) else view.weights,
        bias_like,
    )


def multiplies_vectors(view: LayerView) -> bool:
    """Return whether each vector of channels is multiplied alone by the same matrix."""
    return isinstance(view, MatMul) or (
        isinstance(view, Convolution) and view.window == Window((1, 1))
    )


def image_of(view: LayerView, layer: Layer, emit: Emit) -> ir.Value:
    """Return the source as one image `[height][width][depth]`."""
    shape = layer.geometry
    return emit.reshape(view.source, (shape.height, shape.width, shape.depth))


def result_of(image: ir.Value, view: LayerView, emit: Emit) -> ir.Value:
    """Return an image `[y_height][y_width][y_depth]` in the shape of the operator's result."""
    return emit.reshape(image, shape_of(view.result))


def _weights_of(view: LayerView) -> tuple[NDArray[np.int8], bool]:
    """Return the weights, and whether the layer is depthwise."""
    if isinstance(view, MatMul):
        return _required(view.other)[0].T[:, None, None, :], False
    elements = _required(view.weights)
    if isinstance(view, Convolution):
        return elements, False
    rows, columns, inputs, multiples = elements.shape
    if multiples == 1 and inputs != 1:
        return elements.transpose(2, 0, 1, 3), True
    # With several results per channel, each result reads one of several inputs: a dense layer
    # whose other weights are zero.
    dense = np.zeros((inputs, multiples, rows, columns, inputs), np.int8)
    for channel in range(inputs):
        dense[channel, :, :, :, channel] = elements[:, :, channel].transpose(2, 0, 1)
    return dense.reshape(inputs * multiples, rows, columns, inputs), False


def _geometry(view: LayerView, weights: NDArray[np.int8], *, depthwise: bool) -> LayerGeometry:
    *source, depth = shape_of(view.source)
    *result, y_depth = shape_of(view.result)
    if isinstance(view, MatMul) or multiplies_vectors(view):
        rows = int(np.prod(source))
        return LayerGeometry(rows, 1, depth, rows, 1, y_depth, 1, 1, 1, 1, 1, 1, 0, 0, 0)
    window = view.window
    (height, width), (y_height, y_width) = source[1:], result[1:]
    kernel_height, kernel_width = weights.shape[1:3]
    return LayerGeometry(
        *(height, width, depth, y_height, y_width, y_depth, kernel_height, kernel_width),
        *(window.stride[0], window.stride[1], window.dilation[0], window.dilation[1]),
        *(window.before[0], window.before[1], int(depthwise)),
    )


def _requantisation(view: LayerView, channels: int) -> ChannelRequantisation:
    rescale, clamp = view.epilogue.rescale, view.epilogue.clamp
    assert rescale is not None
    low, high = (-128, 127) if clamp is None else (int(clamp.low), int(clamp.high))
    return ChannelRequantisation(
        np.broadcast_to(np.array(rescale.multipliers, np.int32), (channels,)),
        np.broadcast_to(np.array(rescale.shifts, np.int8), (channels,)),
        rescale.output_zero_point,
        max(low, -128),
        min(high, 127),
        rescale.double_round,
    )


def _required(value: ir.Value) -> NDArray[np.int8]:
    elements = elements_of(value)
    assert elements is not None
    return elements


def is_int8_layer(view: LayerView) -> bool:
    """Return whether source, weights and result are int8."""
    weights = view.other if isinstance(view, MatMul) else view.weights
    return all(map(operators.is_int8, (view.source, weights, view.result)))
