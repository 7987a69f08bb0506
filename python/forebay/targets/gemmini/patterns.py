"""The operators that the machine takes, each replaced by a call of a layer."""

from __future__ import annotations

from functools import partial

import numpy as np
from mlir import ir

from forebay.api.target import Emit, Pattern
from forebay.targets.gemmini.dataflow import steps_in_array
from forebay.targets.gemmini.machine import BORDER_BYTES, DIM
from forebay.targets.gemmini.scaling import can_scale, with_one_factor
from forebay.targets.int32_convolution.blocks import block_rows, blocked_weights
from forebay.targets.int32_convolution.conditions import CONDITIONS, OPERATORS
from forebay.targets.int32_convolution.layers import LayerView, image_of, layer_of, result_of


def gemmini_patterns(*, keeps_sums: bool = False, scales: bool = False) -> tuple[Pattern, ...]:
    """Return the machine's patterns; with `keeps_sums`, layers are output stationary.

    With `scales`, the device requantises those that it can (`scaling.py`).
    """
    return (
        Pattern(
            "layer",
            device="gemmini",
            of=OPERATORS,
            conditions=CONDITIONS,
            build=partial(_build_layer, keeps_sums=keeps_sums, scales=scales),
        ),
    )


def _build_layer(view: LayerView, emit: Emit, *, keeps_sums: bool, scales: bool) -> ir.Value:
    layer, scale = layer_of(view), np.float32(0)
    if scales and can_scale(layer):
        layer, scale = with_one_factor(layer)
    geometry, requantisation = layer.geometry, layer.requantisation
    weights = blocked_weights(layer, DIM, block_rows(geometry, DIM))
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
        scale=int(scale.view(np.int32)),
        steps=steps_in_array(weights) if keeps_sums else 0,
    )
    return result_of(result, view, emit)
