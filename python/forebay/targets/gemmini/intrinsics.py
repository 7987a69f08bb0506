"""The functions of the driver as intrinsics, and the layer that the stage lowers to them."""

from __future__ import annotations

from forebay.api.target import Intrinsic, Operand, Queue, Transfer
from forebay.targets.gemmini import references
from forebay.targets.gemmini.machine import (
    ACCUMULATOR,
    DIM,
    EXECUTE,
    LOAD,
    MEMORY,
    SCRATCHPAD,
    STORE,
    WEIGHTS,
)
from forebay.targets.gemmini.times import MoveTimes, convolution_cycles
from forebay.targets.int32_convolution.geometry import LAYER_SCALARS

WINDOW_SCALARS = (
    *("width", "depth", "rows", "columns", "channels"),
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
_DEPTH = 32
"""The operations of a queue that the driver remembers."""

OF_DEVICE = ("steps", "scale")
"""The products that may stay in the array, or 0 if weights do; the bits of the factor, or 0."""


def gemmini_queues() -> tuple[Queue, ...]:
    """Return the queues of the machine."""
    return tuple(Queue(name, f"gemmini_{name}", _DEPTH) for name in (LOAD, EXECUTE, STORE))


def weight_loader(times: MoveTimes) -> Transfer:
    """Return the transfer that moves blocks of weights to the scratchpad."""
    return Transfer(
        "load_weights",
        "gemmini_load_weights",
        (WEIGHTS,),
        (SCRATCHPAD,),
        rank=2,
        queue=LOAD,
        granule=DIM,
        latency=times.latency,
        bandwidth=times.block_bandwidth,
    )


def gemmini_intrinsics(times: MoveTimes) -> tuple[Intrinsic, ...]:
    """Return the intrinsics of the driver, and the layer."""
    moves = (_load_image(times), _load_bias(times), _store_sums(times), _store_scaled(times))
    return (*moves, _convolve(), _layer())


def _load_image(times: MoveTimes) -> Intrinsic:
    return Intrinsic(
        "load_image",
        "gemmini_load_image",
        (
            Operand("image", "in", (MEMORY,)),
            Operand("border", "in", (WEIGHTS,)),
            Operand("tile", "out", (SCRATCHPAD,), alignment=DIM),
        ),
        scalars=WINDOW_SCALARS,
        reference=references.reference_load_image,
        queue=LOAD,
        cycles=times.of_image,
    )


def _load_bias(times: MoveTimes) -> Intrinsic:
    return Intrinsic(
        "load_bias",
        "gemmini_load_bias",
        (
            Operand("bias", "in", (WEIGHTS,), alignment=4),
            Operand("sums", "out", (ACCUMULATOR,), alignment=4 * DIM),
        ),
        scalars=("pixels", "channels"),
        reference=references.reference_load_bias,
        queue=LOAD,
        cycles=times.of_bias,
    )


def _convolve() -> Intrinsic:
    return Intrinsic(
        "convolve",
        "gemmini_convolve",
        (
            Operand("image", "in", (SCRATCHPAD,), alignment=DIM),
            Operand("weights", "in", (SCRATCHPAD,), alignment=DIM),
            Operand("sums", "inout", (ACCUMULATOR,), alignment=4 * DIM),
        ),
        scalars=CONVOLVE,
        reference=references.reference_convolve,
        queue=EXECUTE,
        cycles=convolution_cycles,
    )


def _store_sums(times: MoveTimes) -> Intrinsic:
    return Intrinsic(
        "store_sums",
        "gemmini_store_sums",
        (
            Operand("sums", "in", (ACCUMULATOR,), alignment=4 * DIM),
            Operand("target", "out", (MEMORY,), alignment=4),
        ),
        scalars=("pixels", "channels"),
        reference=references.reference_store_sums,
        queue=STORE,
        cycles=times.of_sums,
    )


def _store_scaled(times: MoveTimes) -> Intrinsic:
    return Intrinsic(
        "store_scaled",
        "gemmini_store_scaled",
        (
            Operand("sums", "in", (ACCUMULATOR,), alignment=4 * DIM),
            Operand("target", "out", (MEMORY,)),
        ),
        scalars=("pixels", "channels", "scale"),
        reference=references.STORE_SCALED,
        queue=STORE,
        cycles=times.of_requantised,
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
        scalars=(*LAYER_SCALARS, *REQUANTISATION, *OF_DEVICE),
        reference=references.reference_layer,
    )
