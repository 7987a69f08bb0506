"""The operators that the machine takes, each replaced by a call of a layer."""

from __future__ import annotations

import numpy as np
from mlir import ir

from forebay.api.target import Emit, Pattern
from forebay.targets.gemmini.machine import BORDER_BYTES, LANES
from forebay.targets.int32_convolution.blocks import block_rows, blocked_weights
from forebay.targets.int32_convolution.conditions import CONDITIONS, OPERATORS
from forebay.targets.int32_convolution.layers import LayerView, image_of, layer_of, result_of


def patterns() -> tuple[Pattern, ...]:
    """Return the machine's patterns."""
    return (
        Pattern("layer", device="gemmini", of=OPERATORS, conditions=CONDITIONS, build=_build_layer),
    )


def _build_layer(view: LayerView, emit: Emit) -> ir.Value:
    layer = layer_of(view)
    geometry, requantisation = layer.geometry, layer.requantisation
    result = emit.call(
        "layer",
        image_of(view, layer, emit),
        emit.constant(
            blocked_weights(layer, LANES, block_rows(geometry, LANES)), like=layer.weights_like
        ),
        emit.constant(layer.bias, like=layer.bias_like),
        emit.constant(np.full(BORDER_BYTES, layer.border, np.int8)),
        emit.constant(requantisation.multipliers),
        emit.constant(requantisation.shifts),
        out=ir.RankedTensorType.get(
            [geometry.y_height, geometry.y_width, geometry.y_depth],
            ir.IntegerType.get_signless(8),
        ),
        **geometry.scalars(),
        zero_point=requantisation.zero_point,
        low=requantisation.low,
        high=requantisation.high,
        double_round=int(requantisation.double_round),
    )
    return result_of(result, view, emit)
