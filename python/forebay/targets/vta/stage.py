"""The machine's stage: a layer in tiles, as loads, products, operations on sums, and stores.

dram     image ── rows and columns of a tile, with their border ──> inp ┐
weights  blocks of outputs and inputs ──────────────────────> wgt ┴── products ──> acc
weights  bias, for each pixel ─────────────────────────────────────────────────────> acc
acc ── shift, clip, store ──> result                              a shifted layer
acc ── store a byte, shift by 8, store a byte, ... ──> dram ── requantised by the host
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from mlir import ir

from forebay.api.target import CallSite, RefusedError, lower_in_tiles
from forebay.targets.int32_convolution.host import Factors
from forebay.targets.vta.calls import call_scalars
from forebay.targets.vta.finished_sums import HostRequantisation, ShiftedSums
from forebay.targets.vta.intrinsics import LAYER, SHIFTED_LAYER
from forebay.targets.vta.tiled_layer import FinishedSums, LayerOperands, TiledLayer
from forebay.targets.vta.times import CoreTimes


def lower_layer(site: CallSite, *, times: CoreTimes) -> Sequence[ir.Value] | None:
    """Lower a layer in tiles; return None for a call that is no layer.

    Raises `RefusedError` when not even the smallest tile fits.
    """
    name = site.call.callee.value.rpartition(".")[2]
    if name not in {LAYER, SHIFTED_LAYER} or not site.operand_pools:
        return None
    scalars = call_scalars(site.call)
    inputs = list(site.call.inputs)
    operands, factors = inputs[:4], inputs[4:]
    finished: FinishedSums = ShiftedSums(site.device, scalars)
    if name == LAYER:
        finished = HostRequantisation(site.device, scalars, Factors(*factors))
    layer = TiledLayer(site.device, scalars, LayerOperands(*operands), finished, times)
    if name == SHIFTED_LAYER:
        # The machine stores contiguous runs: of a part of the channels, one per pixel.
        with suppress(RefusedError):
            return lower_in_tiles(site, layer.operator(site.call.outputs[0], whole_rows=True))
    return lower_in_tiles(site, layer.operator(site.call.outputs[0]))
