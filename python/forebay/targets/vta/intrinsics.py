"""The machine's functions: loads, products, operations on sums, stores; and a layer as a whole.

A function is one or more instructions of one core. The stage replaces the call of a layer.
"""

from __future__ import annotations

from forebay.api.target import Int64, Intrinsic, Operand, Queue, Transfer
from forebay.targets.int32_convolution.geometry import LAYER_SCALARS
from forebay.targets.vta import references
from forebay.targets.vta.times import CoreTimes

LAYER, SHIFTED_LAYER = "layer", "shifted_layer"
DRAM, CONSTANTS = "dram", "weights"
INP, WGT, ACC = "inp", "wgt", "acc"
LOAD, COMPUTE, STORE = "load", "compute", "store"
ELEMENT_BYTES = {INP: 16, WGT: 256, ACC: 64}
"""The bytes of an element, by the pool that it is in."""

_ANY_DRAM = (DRAM, CONSTANTS)
_VECTOR = ELEMENT_BYTES[INP]
_IMAGE_SIZES = (
    *("rows", "columns", "row_stride", "pixel_stride", "blocks"),
    *("top", "bottom", "left", "right", "pads"),
)
PRODUCT_SIZES = (
    *("rows", "columns", "out_blocks", "in_blocks", "kernel_rows", "kernel_columns"),
    *("stride_rows", "stride_columns", "image_columns", "image_blocks", "weight_blocks"),
    *("dilation_rows", "dilation_columns", "depthwise"),
)
"""The scalars of a product that describe the tile, in the order of `TileProduct`."""


def vta_queues(depth: int) -> tuple[Queue, ...]:
    """Return a queue per core."""
    return tuple(Queue(core, f"vta_{core}", depth) for core in (LOAD, COMPUTE, STORE))


def core_functions(times: CoreTimes) -> tuple[Intrinsic, ...]:
    """Return the functions of the three cores, and the layer."""
    return (*_loads(times), *_computations(times), *_stores(times), *_layers())


def load_weights(times: CoreTimes) -> Transfer:
    """Return the transfer of weights: a LOAD for each of its outer dimensions but the innermost."""
    return Transfer(
        "load_weights",
        "vta_load_weights",
        _ANY_DRAM,
        (WGT,),
        rank=4,
        queue=LOAD,
        granule=ELEMENT_BYTES[WGT],
        latency=times.latency,
        bandwidth=8,
    )


def _loads(times: CoreTimes) -> tuple[Intrinsic, ...]:
    def sums_loaded(pixels: Int64, blocks: Int64) -> Int64:
        return times.of_sums(pixels * blocks)

    image = Intrinsic(
        "load_image",
        "vta_load_image",
        (
            Operand("x", "in", _ANY_DRAM, _VECTOR),
            Operand("border", "in", _ANY_DRAM, _VECTOR),
            Operand("y", "out", (INP,), _VECTOR),
        ),
        _IMAGE_SIZES,
        references.load_bordered_image,
        queue=LOAD,
        cycles=times.of_image,
    )
    bias = Intrinsic(
        "load_bias",
        "vta_load_bias",
        (
            Operand("bias", "in", _ANY_DRAM, ELEMENT_BYTES[ACC]),
            Operand("y", "out", (ACC,), ELEMENT_BYTES[ACC]),
        ),
        ("pixels", "blocks"),
        references.repeat_bias,
        queue=COMPUTE,
        cycles=sums_loaded,
    )
    return image, bias


def _computations(times: CoreTimes) -> tuple[Intrinsic, ...]:
    def products(
        *,
        rows: Int64,
        columns: Int64,
        out_blocks: Int64,
        in_blocks: Int64,
        kernel_rows: Int64,
        kernel_columns: Int64,
        depthwise: Int64,
    ) -> Int64:
        return times.of_products(
            rows * columns * out_blocks * kernel_rows * kernel_columns, in_blocks, depthwise
        )

    product = Intrinsic(
        "multiply",
        "vta_multiply",
        (
            Operand("x", "in", (INP,), _VECTOR),
            Operand("w", "in", (WGT,), ELEMENT_BYTES[WGT]),
            Operand("sums", "inout", (ACC,), ELEMENT_BYTES[ACC]),
        ),
        (*PRODUCT_SIZES, "image_first", "weights_first"),
        references.multiply_tile,
        queue=COMPUTE,
        cycles=products,
    )
    combination = Intrinsic(
        "combine",
        "vta_combine",
        (Operand("sums", "inout", (ACC,), ELEMENT_BYTES[ACC]),),
        ("op", "immediate", "elements"),
        references.combine,
        queue=COMPUTE,
        cycles=times.of_combination,
    )
    return product, combination


def _stores(times: CoreTimes) -> tuple[Intrinsic, ...]:
    """Return the stores: of low bytes, and of all bytes with the shifts between them."""
    sums = Operand("sums", "in", (ACC,), ELEMENT_BYTES[ACC])
    changed = Operand("sums", "inout", (ACC,), ELEMENT_BYTES[ACC])
    y = Operand("y", "out", (DRAM,), _VECTOR)
    low = Intrinsic(
        "store_bytes",
        "vta_store_bytes",
        (sums, y),
        ("elements",),
        references.store_bytes,
        queue=STORE,
        cycles=times.of_stored,
    )
    whole = Intrinsic(
        "store_sums",
        "vta_store_sums",
        (changed, y),
        ("elements", "bytes"),
        references.store_sums,
        queue=STORE,
        cycles=times.of_stored_sums,
    )
    return low, whole


def _layers() -> tuple[Intrinsic, ...]:
    """Return the calls that patterns build; the stage replaces them."""
    image = Operand("x", "in", _ANY_DRAM, _VECTOR)
    constants = (
        Operand("w", "in", _ANY_DRAM, ELEMENT_BYTES[WGT]),
        Operand("bias", "in", _ANY_DRAM, ELEMENT_BYTES[ACC]),
        Operand("border", "in", _ANY_DRAM, _VECTOR),
    )
    factors = Operand("multipliers", "in", _ANY_DRAM), Operand("shifts", "in", _ANY_DRAM)
    result = Operand("y", "out", (DRAM,), _VECTOR)
    range_ = ("y_zero_point", "low", "high")
    on_host = Intrinsic(
        LAYER,
        "vta_layer",
        (image, *constants, *factors, result),
        (*LAYER_SCALARS, *range_, "border_is_zero", "double_round", "sum_bits"),
        references.requantised_layer,
    )
    shifted = Intrinsic(
        SHIFTED_LAYER,
        "vta_shifted_layer",
        (image, *constants, result),
        (*LAYER_SCALARS, *range_, "border_is_zero", "shift"),
        references.shifted_layer,
    )
    return on_host, shifted
