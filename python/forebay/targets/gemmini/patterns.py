"""The operators that the machine takes, each replaced by a call of a layer."""

from __future__ import annotations

from functools import partial

import numpy as np
from mlir import ir

from forebay.api.target import Emit, Pattern
from forebay.targets.gemmini.dataflow import steps_in_array
from forebay.targets.gemmini.machine import BORDER_BYTES, LANES
from forebay.targets.int32_convolution.blocks import block_rows, blocked_weights
from forebay.targets.int32_convolution.conditions import CONDITIONS, OPERATORS
from forebay.targets.int32_convolution.layers import LayerView, image_of, layer_of, result_of


def patterns(*, keeps_sums: bool = False) -> tuple[Pattern, ...]:
    """Return the machine's patterns; with `keeps_sums`, layers are output stationary."""
    return (
        Pattern(
            "layer",
            device="gemmini",
            of=OPERATORS,
            conditions=CONDITIONS,
            build=partial(_build_layer, keeps_sums=keeps_sums),
        ),
    )


def _build_layer(view: LayerView, emit: Emit, *, keeps_sums: bool) -> ir.Value:
    layer = layer_of(view)
    geometry, requantisation = layer.geometry, layer.requantisation
    weights = blocked_weights(layer, LANES, block_rows(geometry, LANES))
    result = emit.call(
        "layer",
        image_of(view, layer, emit),
        emit.constant(weights, like=layer.weights_like),
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
        steps=steps_in_array(weights) if keeps_sums else 0,
    )
    return result_of(result, view, emit)
