"""The operators that the machine takes: int8 convolutions and products with constant matrices."""

from __future__ import annotations

from functools import partial

from forebay.api.operators import Convolution, Depthwise, MatMul
from forebay.api.target import Pattern
from forebay.targets.int32_convolution.conditions import CONDITIONS
from forebay.targets.vta.build import build_layer


def layer_patterns(*, depthwise: bool, is_relaxed: bool) -> tuple[Pattern, ...]:
    """Return the machine's patterns.

    A depthwise layer has diagonal weights, so it uses a sixteenth of the multipliers; without
    `depthwise` it stays on the host. With `is_relaxed`, TFLite's second rounding is ignored where
    factors are powers of two.
    """
    kinds = (Convolution, MatMul, Depthwise) if depthwise else (Convolution, MatMul)
    return (
        Pattern(
            "layer",
            device="vta",
            of=kinds,
            conditions=CONDITIONS,
            build=partial(build_layer, is_relaxed=is_relaxed),
        ),
    )
