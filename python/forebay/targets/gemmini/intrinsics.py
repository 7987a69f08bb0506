"""The functions of the driver as intrinsics, and the layer that the stage lowers to them."""

from __future__ import annotations

from forebay.api.target import Int64, Intrinsic, Operand, Transfer, ceil_div
from forebay.targets.gemmini import references
from forebay.targets.gemmini.machine import (
    ACCUMULATOR,
    LANES,
    MEMORY,
    SCRATCHPAD,
    WEIGHTS,
    Times,
)
from forebay.targets.int32_convolution.geometry import LAYER_SCALARS

WINDOW = (
    *("width", "depth", "column", "channel", "rows", "columns", "channels"),
    *("top", "bottom", "left", "right"),
)
CONVOLVE = (
    *("plane", "width", "start", "weights_stride", "weights_start", "block_rows"),
    *(
        "rows",
        "columns",
        "channels",
        "depth",
        "kernel_height",
        "kernel_width",
        "stride_y",
        "stride_x",
    ),
    *("dilation_y", "dilation_x", "depthwise", "steps"),
)
REQUANTISATION = ("zero_point", "low", "high", "double_round")
DATAFLOW = ("steps",)
"""The products that may stay in the array, or 0 if weights do."""


def weight_loader(times: Times) -> Transfer:
    """Return the transfer that moves blocks of weights to the scratchpad."""
    return Transfer(
        "load_weights",
        "gemmini_load_weights",
        (WEIGHTS,),
        (SCRATCHPAD,),
        rank=2,
        granule=LANES,
        latency=times.latency,
        bandwidth=times.bandwidth,
    )


def intrinsics(times: Times) -> tuple[Intrinsic, ...]:
    """Return the intrinsics of the driver, and the layer."""
    return (_load_image(times), _load_bias(times), _convolve(), _store_sums(times), _layer())


def _load_image(times: Times) -> Intrinsic:
    def cycles(rows: Int64, columns: Int64, channels: Int64) -> Int64:
        return times.latency + ceil_div(rows * columns * channels, times.bandwidth)

    return Intrinsic(
        "load_image",
        "gemmini_load_image",
        (
            Operand("image", "in", (MEMORY,)),
            Operand("border", "in", (WEIGHTS,)),
            Operand("tile", "out", (SCRATCHPAD,), alignment=LANES),
        ),
        scalars=WINDOW,
        reference=references.load_image,
        cycles=cycles,
    )


def _load_bias(times: Times) -> Intrinsic:
    def cycles(pixels: Int64, channels: Int64) -> Int64:
        return times.latency + ceil_div(4 * pixels * channels, times.bandwidth)

    return Intrinsic(
        "load_bias",
        "gemmini_load_bias",
        (
            Operand("bias", "in", (WEIGHTS,), alignment=4),
            Operand("sums", "out", (ACCUMULATOR,), alignment=4 * LANES),
        ),
        scalars=("pixels", "channels"),
        reference=references.load_bias,
        cycles=cycles,
    )


def _convolve() -> Intrinsic:
    return Intrinsic(
        "convolve",
        "gemmini_convolve",
        (
            Operand("image", "in", (SCRATCHPAD,), alignment=LANES),
            Operand("weights", "in", (SCRATCHPAD,), alignment=LANES),
            Operand("sums", "inout", (ACCUMULATOR,), alignment=4 * LANES),
        ),
        scalars=CONVOLVE,
        reference=references.convolve,
    )


def _store_sums(times: Times) -> Intrinsic:
    def cycles(pixels: Int64, channels: Int64) -> Int64:
        return times.latency + ceil_div(4 * pixels * channels, times.bandwidth)

    return Intrinsic(
        "store_sums",
        "gemmini_store_sums",
        (
            Operand("sums", "in", (ACCUMULATOR,), alignment=4 * LANES),
            Operand("target", "out", (MEMORY,), alignment=4),
        ),
        scalars=("pixels", "channels"),
        reference=references.store_sums,
        cycles=cycles,
    )


def _layer() -> Intrinsic:
    constants = ("weights", "bias", "border", "multipliers", "shifts")
    return Intrinsic(
        "layer",
        "gemmini_layer",
        (
            Operand("image", "in", (MEMORY,)),
            *(Operand(name, "in", (WEIGHTS,)) for name in constants),
            Operand("result", "out", (MEMORY,)),
        ),
        scalars=(*LAYER_SCALARS, *REQUANTISATION, *DATAFLOW),
        reference=references.layer,
    )
