"""Replace an operator by a layer of the machine: constants in its layout, channels in blocks.

The image keeps its order, rows, columns, channels. The host adds channels up to a multiple of 16,
and removes those of the result; channels that are multiples of 16 need nothing of the host.
"""

from __future__ import annotations

import numpy as np
from mlir import ir
from msgspec import structs
from numpy.typing import NDArray

from forebay.api.target import Emit
from forebay.targets.int32_convolution.blocks import blocked_weights, channel_blocks
from forebay.targets.int32_convolution.geometry import LayerGeometry
from forebay.targets.int32_convolution.layers import (
    Layer,
    LayerView,
    image_of,
    layer_of,
    result_of,
)
from forebay.targets.vta.intrinsics import LAYER, SHIFTED_LAYER
from forebay.targets.vta.references import VECTOR
from forebay.targets.vta.shifts import half_of, largest_sum, shift_of

_SUM_BITS = 32
_HARMLESS_SHIFT = 31
"""The shift of channels that only fill a block: their multiplier is 0."""


def build_layer(view: LayerView, emit: Emit, *, is_relaxed: bool = False) -> ir.Value:
    """Build the layer and return its result in the shape of the operator's."""
    layer = layer_of(view)
    geometry = layer.geometry
    padded = structs.replace(
        geometry, depth=_whole_blocks(geometry.depth), y_depth=_whole_blocks(geometry.y_depth)
    )
    image = emit.pad(
        image_of(view, layer, emit), (0, 0, 0), (0, 0, padded.depth - geometry.depth), layer.border
    )
    shift = shift_of(layer, is_relaxed=is_relaxed)
    if shift is None:
        result = _layer_of_host(layer, padded, image, emit)
    else:
        result = _shifted_layer(layer, padded, image, shift, emit)
    cropped = emit.pad(result, (0, 0, 0), (0, 0, geometry.y_depth - padded.y_depth), 0)
    return result_of(cropped, view, emit)


def _layer_of_host(layer: Layer, padded: LayerGeometry, image: ir.Value, emit: Emit) -> ir.Value:
    """Build a layer whose sums the host requantises."""
    requantisation = layer.requantisation
    return emit.call(
        LAYER,
        *_operands(layer, padded, image, 0, emit),
        emit.constant(_filled(requantisation.multipliers, padded.y_depth, 0)),
        emit.constant(_filled(requantisation.shifts, padded.y_depth, _HARMLESS_SHIFT)),
        out=_result_type(padded),
        **_scalars(layer, padded),
        double_round=int(requantisation.double_round),
        sum_bits=min(_SUM_BITS, largest_sum(layer).bit_length() + 1),
    )


def _shifted_layer(
    layer: Layer, padded: LayerGeometry, image: ir.Value, shift: int, emit: Emit
) -> ir.Value:
    """Build a layer that is computed wholly by the machine."""
    return emit.call(
        SHIFTED_LAYER,
        *_operands(layer, padded, image, half_of(shift), emit),
        out=_result_type(padded),
        **_scalars(layer, padded),
        shift=shift,
    )


def _operands(
    layer: Layer, padded: LayerGeometry, image: ir.Value, half: int, emit: Emit
) -> tuple[ir.Value, ...]:
    bias = _filled(layer.bias, padded.y_depth, 0) + np.int32(half)
    return (
        image,
        emit.constant(machine_weights(layer), like=layer.weights_like),
        emit.constant(bias, like=layer.bias_like),
        emit.constant(np.full(VECTOR, layer.border, np.int8)),
    )


def _scalars(layer: Layer, padded: LayerGeometry) -> dict[str, int]:
    requantisation = layer.requantisation
    return {
        **padded.scalars(),
        "y_zero_point": requantisation.zero_point,
        "low": requantisation.low,
        "high": requantisation.high,
        "border_is_zero": int(layer.border == 0),
    }


def _result_type(padded: LayerGeometry) -> ir.Type:
    sizes = [padded.y_height, padded.y_width, padded.y_depth]
    return ir.RankedTensorType.get(sizes, ir.IntegerType.get_signless(8))


def machine_weights(layer: Layer) -> NDArray[np.int8]:
    """Return `[output blocks][kernel rows][kernel columns][input blocks][outputs][inputs]`."""
    return np.ascontiguousarray(blocked_weights(layer, VECTOR).transpose(0, 2, 3, 1, 5, 4))


def _whole_blocks(channels: int) -> int:
    return channel_blocks(channels, VECTOR) * VECTOR


def _filled(values: NDArray[np.generic], size: int, fill: int) -> NDArray[np.generic]:
    return np.pad(values, (0, size - len(values)), constant_values=fill)
