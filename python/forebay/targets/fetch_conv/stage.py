"""The engine's stage: lower a layer to calls of fetcher and engine that fit into the free bytes.

    l2_mem   image ── fetch a window ──> act_mem ── conv2d ──> act_mem ── copy ──> result   l2_mem
    weights  all of them ── load a range ──> wei_mem

An image that is in `act_mem` already is not fetched. A result that remains in `act_mem` is computed
there without a copy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from mlir import ir

from forebay.api.dialects import accel
from forebay.api.operators import element_bytes, element_type, shape_of
from forebay.api.target import CallSite, RefusedError
from forebay.targets.fetch_conv.geometry import Geometry
from forebay.targets.fetch_conv.layout import BLOCK
from forebay.targets.fetch_conv.lowering import LayerLowering, scalars_of
from forebay.targets.fetch_conv.tiling import (
    UNLIMITED,
    FreeMemory,
    least_bytes,
    tile_bytes,
    tiling_of,
)

LAYERS = ("layer", "fetched_layer")
_ACT, _WEI = "act_mem", "wei_mem"


def lower(site: CallSite, *, streams: bool) -> Sequence[ir.Value] | None:
    """Lower a layer in tiles; return None for a call that is no layer.

    Raises `RefusedError` when not even one column of 16 channels fits.
    """
    if _kind(site.call) not in LAYERS or not site.places:
        return None
    site.keep_in_place()
    layer = _geometry(site.call)
    free = FreeMemory(
        site.free.get(_ACT, UNLIMITED),
        site.free.get(_WEI, UNLIMITED),
        x_inside=site.places[0] == _ACT,
        y_inside=site.places[-1] == _ACT,
        streams=streams,
    )
    tiling = tiling_of(layer, free)
    if tiling is None:
        raise _refusal(site.call, least_bytes(layer, free), free.act_mem)
    return [LayerLowering(site, layer, free, tiling).result()]


def reserve(call: accel.CallOp, *, act_mem: int | None) -> Mapping[str, int]:
    """Return the bytes to keep free for tiles of a layer whose images are in `l2_mem`.

    This is a quarter of `act_mem`: less where the layer is small, more where a column of 16
    channels needs it. Raises `RefusedError` when not even that column fits.
    """
    if act_mem is None or _kind(call) not in LAYERS:
        return {}
    layer, free = _geometry(call), FreeMemory(x_inside=_is_fetched(call.inputs[0]))
    least = least_bytes(layer, free)
    if least > act_mem:
        raise _refusal(call, least, act_mem)
    whole = tile_bytes(layer, free, layer.y_blocks, layer.y_height, layer.y_width)
    return {_ACT: min(whole, max(least, act_mem // 4 // BLOCK * BLOCK))}


def _is_fetched(image: ir.Value) -> bool:
    """Return whether an image was fetched once for several layers, so that it is in `act_mem`."""
    producer = None if isinstance(image.owner, ir.Block) else image.owner.opview
    return isinstance(producer, accel.CallOp) and _kind(producer) == "input_fetcher"


def _kind(call: accel.CallOp) -> str:
    """Return the intrinsic's name on its device."""
    return call.callee.value.rpartition(".")[2]


def _geometry(call: accel.CallOp) -> Geometry:
    """Return the sizes of a layer."""
    _, weights, table = call.inputs
    blocks = shape_of(weights)[0]
    return Geometry.of(scalars_of(call), (_bytes_of(weights) + _bytes_of(table)) // blocks)


def _refusal(call: accel.CallOp, needed: int, free: int) -> RefusedError:
    """Return the error for a layer of which not even the smallest tile fits."""
    return RefusedError(
        call.location,
        f"one column of 16 channels of this layer needs {needed:,} bytes of act_mem, for what its "
        f"windows see and for itself, but {free:,} are free; give act_mem more "
        f"(fetch_conv:act_mem={needed}), or leave the operator to the host (--place)",
    )


def _bytes_of(value: ir.Value) -> int:
    return math.prod(shape_of(value)) * element_bytes(element_type(value))
