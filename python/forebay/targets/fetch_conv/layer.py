"""A layer for the tiler: its loop nest in blocks of 16 channels, and where its operands are.

    l2_mem   image ── fetch a window ──> act_mem ── conv2d ──> act_mem ── copy ──> result   l2_mem
    weights  all of them ── load a range ──> wei_mem

An image that is in `act_mem` already is not fetched. A result that remains in `act_mem` is computed
there without a copy; the engine writes one contiguous range of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from forebay.api.dialects import accel
from forebay.api.operators import shape_of
from forebay.api.regions import LoopNest, OperandAccess, induction_variables
from forebay.api.target import (
    CallCost,
    TiledInput,
    TiledOperator,
    TiledOutput,
    TileLimit,
    TileStorage,
    TransferCost,
)
from forebay.targets.fetch_conv.layer_calls import LayerCalls
from forebay.targets.fetch_conv.scalars import scalars_of
from forebay.targets.fetch_conv.times import Times

_WHOLE = TileLimit(is_whole=True)
_PER_OPERATION = 32
"""Without queues, the cost is the bytes that are read, and this for each call and transfer."""
_HOST = TransferCost("host", bytes_per_cycle=1 << 62)


@dataclass(frozen=True)
class ResidentOperands:
    """The operands of a layer that are in the engine's memories as a whole."""

    image: bool = False
    weights: bool = False
    result: bool = False


def layer_operator(
    call: accel.CallOp, device: str, resident: ResidentOperands, queued: Times | None = None
) -> TiledOperator:
    """Return the description of a layer's call.

    With `queued`, operations of these times are in queues: a tile is loaded while another one is
    computed.
    """
    image, weights, table = call.inputs
    (result,) = call.outputs
    config = scalars_of(call)
    calls = LayerCalls(device, config)
    latency, bandwidth, slots = _PER_OPERATION, 1, 1
    if queued is not None:
        latency, bandwidth, slots = queued.latency, queued.bandwidth, 2
    fetch = None if resident.image else TransferCost("fetch", latency, bandwidth)
    load = None if resident.weights else TransferCost("load", latency, bandwidth)
    store = None if resident.result else _HOST
    in_wei_mem = TileStorage("wei_mem", load, slots=slots, may_stay=True)
    return TiledOperator(
        _nest(config, *map(shape_of, (image, weights, table, result))),
        limits=(TileLimit(), TileLimit(), TileLimit(), *(_WHOLE,) * 6),
        inputs=(
            TiledInput(
                image,
                TileStorage("act_mem", fetch, slots=slots, with_padding=True, may_stay=True),
                calls.fetch,
            ),
            TiledInput(weights, in_wei_mem, dynamic_offsets=True),
            TiledInput(table, in_wei_mem, dynamic_offsets=True),
        ),
        outputs=(TiledOutput(result, TileStorage("act_mem", store, slots=slots, contiguous=True)),),
        compute=calls.compute,
        calls=CallCost(_cost_of_call if queued is None else _CyclesOfCall(queued), "run"),
        overlaps=queued is not None,
        loops=frozenset(range(3)),
        smallest="one column of 16 channels of this layer",
    )


def _nest(
    config: Mapping[str, int],
    image: tuple[int, ...],
    weights: tuple[int, ...],
    table: tuple[int, ...],
    result: tuple[int, ...],
) -> LoopNest:
    """Return the loops over output blocks, rows, columns and lanes, and those of a sum."""
    block, row, column, lane, in_block, ky, kx, in_lane, entry = induction_variables(9)
    source = (block, lane) if config["depthwise"] else (in_block, in_lane)
    position = (
        row * config["stride_y"] + ky - config["top"],
        column * config["stride_x"] + kx - config["left"],
    )
    _, _, *reduced = weights
    return LoopNest(
        parallel=tuple(result),
        reduction=(*reduced, table[1]),
        inputs=(
            OperandAccess(tuple(image), (source[0], *position, source[1]), clamped=True),
            OperandAccess(tuple(weights), (block, lane, in_block, ky, kx, in_lane)),
            OperandAccess(tuple(table), (block, entry, lane), bits=32),
        ),
        outputs=(OperandAccess(tuple(result), (block, row, column, lane)),),
    )


def _cost_of_call(_: tuple[int, ...]) -> int:
    return _PER_OPERATION


@dataclass(frozen=True)
class _CyclesOfCall:
    """The cycles of a call of the engine, by the sizes of its tile."""

    times: Times

    def __call__(self, sizes: tuple[int, ...]) -> int:
        y_blocks, rows, columns, _, x_blocks, height, width, *_ = sizes
        return self.times.of_tile(y_blocks * rows * columns, x_blocks * height * width)
