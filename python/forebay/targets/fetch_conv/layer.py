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

_WHOLE = TileLimit(is_whole=True)
_PER_OPERATION = 32
"""The cost of a tiling is the bytes that are read, and this for each call and each transfer."""
_FETCH, _LOAD = TransferCost("fetch", _PER_OPERATION), TransferCost("load", _PER_OPERATION)
_HOST = TransferCost("host", bytes_per_cycle=1 << 62)


@dataclass(frozen=True)
class Places:
    """Which operands of a layer are in the engine's memories as a whole."""

    image: bool = False
    weights: bool = False
    result: bool = False


def layer_operator(call: accel.CallOp, device: str, places: Places) -> TiledOperator:
    """Return the description of a layer's call."""
    image, weights, table = call.inputs
    (result,) = call.outputs
    config = scalars_of(call)
    calls = LayerCalls(device, config)
    fetch, load = None if places.image else _FETCH, None if places.weights else _LOAD
    in_wei_mem = TileStorage("wei_mem", load, may_stay=True)
    return TiledOperator(
        _nest(config, *map(shape_of, (image, weights, table, result))),
        limits=(TileLimit(), TileLimit(), TileLimit(), *(_WHOLE,) * 6),
        inputs=(
            TiledInput(
                image,
                TileStorage("act_mem", fetch, with_padding=True, may_stay=True),
                calls.fetch,
            ),
            TiledInput(weights, in_wei_mem, dynamic_offsets=True),
            TiledInput(table, in_wei_mem, dynamic_offsets=True),
        ),
        outputs=(
            TiledOutput(
                result,
                TileStorage("act_mem", None if places.result else _HOST, contiguous=True),
            ),
        ),
        compute=calls.compute,
        calls=CallCost(_cost_of_call),
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
