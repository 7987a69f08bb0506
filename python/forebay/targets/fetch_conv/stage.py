"""The engine's stage: lower a layer to calls of fetcher and engine that fit into the free bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlir import ir

from forebay.api.dialects import accel
from forebay.api.target import CallSite, lower_in_tiles, reserve_for_tiles
from forebay.targets.fetch_conv.layer import ResidentOperands, layer_operator
from forebay.targets.fetch_conv.times import Times

LAYERS = ("layer", "fetched_layer")


def lower(site: CallSite, *, queued: Times | None) -> Sequence[ir.Value] | None:
    """Lower a layer in tiles; return None for a call that is no layer.

    `queued` has the times of operations that are in queues.

    Raises `RefusedError` when not even one column of 16 channels fits.
    """
    if _kind(site.call) not in LAYERS or not site.operand_pools:
        return None
    image, weights, _ = site.call.inputs
    (result,) = site.call.outputs
    resident = ResidentOperands(
        image=site.pool_of(image) == "act_mem",
        weights=site.pool_of(weights) == "wei_mem",
        result=site.pool_of(result) == "act_mem",
    )
    return lower_in_tiles(site, layer_operator(site.call, site.device, resident, queued))


def reserve(call: accel.CallOp, *, streams: bool) -> Mapping[str, int]:
    """Return the bytes to keep free for tiles of a layer whose images are in `l2_mem`.

    Raises `RefusedError` when not even one column of 16 channels fits.
    """
    if _kind(call) not in LAYERS:
        return {}
    resident = ResidentOperands(image=_is_fetched(call.inputs[0]), weights=not streams)
    return reserve_for_tiles(call, layer_operator(call, "accel", resident))


def _is_fetched(image: ir.Value) -> bool:
    """Return whether an image was fetched once for several layers, so that it is in `act_mem`."""
    producer = None if isinstance(image.owner, ir.Block) else image.owner.opview
    return isinstance(producer, accel.CallOp) and _kind(producer) == "input_fetcher"


def _kind(call: accel.CallOp) -> str:
    """Return the intrinsic's name on its device."""
    return call.callee.value.rpartition(".")[2]
