"""The stage: a layer as tiles that fit into scratchpad and accumulator.

    dram     image ── load_image, with its border ──> spad ─┐
    weights  blocks of weights ── load_weights ─────> spad ─┴─ convolve ──> acc ── store_sums ──┐
    weights  bias ── load_bias ─────────────────────────────────────────────> acc                │
    dram     result <── requantised by the host ── sums of one tile <───────────────────────────┘

The sums of a tile begin with its bias. When the last part of its reduction is added they leave as
int32, and the host requantises them as TFLite does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from mlir import ir

from forebay.api.dialects import accel
from forebay.api.operators import shape_of
from forebay.api.regions import Affine, LoopNest, OperandAccess
from forebay.api.target import (
    CallCost,
    CallSite,
    OperandTile,
    PartialSums,
    Tile,
    TiledInput,
    TiledOperator,
    TiledOutput,
    TileLimit,
    TileStorage,
    empty_tensor,
    lower_in_tiles,
    own_copy,
    slice_at,
)
from forebay.targets.gemmini.machine import (
    ACCUMULATOR,
    DIM,
    EXECUTE,
    MEMORY,
    SCRATCHPAD,
    WEIGHTS,
)
from forebay.targets.gemmini.times import FILL_CYCLES, MoveTimes
from forebay.targets.int32_convolution.blocks import block_rows, channel_blocks
from forebay.targets.int32_convolution.geometry import SUM_BITS, LayerGeometry
from forebay.targets.int32_convolution.host import Factors, OutputRange, requantised

_ROWS, _COLUMNS, _CHANNELS = 0, 1, 2
"""Dimensions of the loop nest."""

_IMAGE, _WEIGHTS, _BIAS = range(3)
"""Inputs of the loop nest."""

_MOST_STRAIGHT = 8
"""The most tiles that overlap as straight-line code; those of a loop overlap in their slots."""

_SLOTS = 2
"""The tiles of an operand at a time, if queues overlap."""


def lower_gemmini_layer(site: CallSite, *, times: MoveTimes) -> Sequence[ir.Value] | None:
    """Lower a layer in tiles; return None for a call that is no layer or has no use."""
    if site.call.callee.value.rpartition(".")[2] != "layer" or not site.operand_pools:
        return None
    return lower_in_tiles(site, _LayerStage(site, times).operator())


@dataclass(frozen=True, eq=False)
class _LayerStage:
    """The calls for the tiles of one layer."""

    site: CallSite
    times: MoveTimes

    @cached_property
    def _scalars(self) -> dict[str, int]:
        config = self.site.call.config
        assert config is not None
        entries = ir.DictAttr(config)
        return {entries[i].name: ir.IntegerAttr(entries[i].attr).value for i in range(len(entries))}

    @cached_property
    def _geometry(self) -> LayerGeometry:
        return LayerGeometry.of(self._scalars)

    @property
    def _block(self) -> tuple[int, ...]:
        """The outputs and inputs of a block of weights, of one point of the kernel."""
        g = self._geometry
        return (DIM, block_rows(g, DIM), 1, 1)

    def operator(self) -> TiledOperator:
        """Return the layer for the generic stage."""
        image, weights, bias = self.site.call.inputs[:3]
        images, weight_rows, sum_rows = self.times.transfer_costs()
        nest = _nest_of(self._geometry)
        in_place = TileStorage(WEIGHTS)
        is_depthwise = bool(self._geometry.depthwise)
        sums = TileStorage(
            ACCUMULATOR, sum_rows, granules=(1, 1, DIM), alignment=4 * DIM, slots=_SLOTS
        )
        whole = TileLimit(is_whole=True)
        return TiledOperator(
            nest,
            limits=(
                # The array takes 16 pixels at a time; those of several rows follow each other only
                # in an image of one column.
                TileLimit(multiple=DIM if self._geometry.y_width == 1 else 1),
                TileLimit(),
                TileLimit(multiple=DIM),
                whole,
                whole,
                *(() if is_depthwise else (TileLimit(multiple=DIM),)),
            ),
            inputs=(
                TiledInput(
                    image,
                    TileStorage(
                        SCRATCHPAD,
                        images,
                        granules=(1, 1, DIM),
                        alignment=DIM,
                        slots=_SLOTS,
                        with_padding=True,
                    ),
                    self._load_image,
                ),
                TiledInput(
                    weights,
                    TileStorage(
                        SCRATCHPAD, weight_rows, granules=self._block, slots=_SLOTS, may_stay=True
                    ),
                    self._load_weights,
                ),
                TiledInput(bias, in_place, dynamic_offsets=True),
            ),
            outputs=(
                TiledOutput(
                    self.site.call.outputs[0],
                    TileStorage(MEMORY, sum_rows, alignment=4, slots=_SLOTS),
                    self._requantise,
                ),
            ),
            compute=self._convolve,
            sums=PartialSums(sums, self._load_bias, self._finish, always=True),
            loops=frozenset({_ROWS, _COLUMNS, _CHANNELS}),
            most_straight=_MOST_STRAIGHT,
            calls=CallCost(_ArrayCycles(is_depthwise, self.times.latency), EXECUTE),
            overlaps=True,
            smallest="one column of 16 channels of this layer",
        )

    def _load_image(self, part: OperandTile) -> ir.Value:
        """Load a window with its border, from its first to its last byte in the image."""
        g, (above, beside, _) = self._geometry, part.region.padding
        rows, columns, channels = part.sizes
        top, bottom, left, right = above.before, above.after, beside.before, beside.after
        source = part.contiguous_range() if rows and columns else part.tensor
        blocks = channel_blocks(channels, DIM)
        tile = _empty((blocks, top + rows + bottom, left + columns + right, DIM), 8)
        return self._call(
            "load_image",
            [source, self.site.call.inputs[3]],
            tile,
            {
                "width": g.width,
                "depth": g.depth,
                "rows": rows,
                "columns": columns,
                "channels": channels,
                "top": top,
                "bottom": bottom,
                "left": left,
                "right": right,
            },
        )

    def _load_weights(self, part: OperandTile) -> ir.Value:
        """Copy blocks of weights, which becomes a transfer."""
        offsets, sizes = part.block_offsets(self._block), part.block_sizes(self._block)
        return own_copy(slice_at(part.tensor, (*offsets, 0, 0), (*sizes, self._block[1], DIM)))

    def _load_bias(self, tile: Tile) -> ir.Value:
        rows, columns, channels = tile.box.sizes[:3]
        sums = _empty((channel_blocks(channels, DIM), rows, columns, DIM), SUM_BITS)
        scalars = {"pixels": rows * columns, "channels": channels}
        return self._call("load_bias", [tile.inputs[_BIAS].slice()], sums, scalars)

    def _convolve(self, tile: Tile) -> Sequence[ir.Value]:
        g = self._geometry
        image, weights = tile.inputs[_IMAGE], tile.inputs[_WEIGHTS]
        _, height, width, _ = shape_of(image.tensor)
        rows, columns, channels = tile.box.sizes[:3]
        assert tile.sums is not None
        taps = g.kernel_height * g.kernel_width * self._block[1]
        out, depth_block = weights.block_offsets(self._block)[:2]
        held = shape_of(weights.tensor)
        own = _rows_of(weights.tensor, out, weights.block_sizes(self._block)[0])
        sums = self._call(
            "convolve",
            [image.tensor, own],
            tile.sums,
            {
                "plane": height * width,
                "width": width,
                "start": 0,
                "weights_stride": held[1] * taps,
                "weights_start": _number(depth_block) * taps,
                "block_rows": self._block[1],
                "rows": rows,
                "columns": columns,
                "channels": channels,
                "depth": channels if g.depthwise else tile.box.sizes[-1],
                "kernel_height": g.kernel_height,
                "kernel_width": g.kernel_width,
                "stride_y": g.stride_y,
                "stride_x": g.stride_x,
                "dilation_y": g.dilation_y,
                "dilation_x": g.dilation_x,
                "depthwise": g.depthwise,
                "steps": self._scalars["steps"],
            },
            accumulates=True,
        )
        return [sums]

    def _finish(self, tile: Tile) -> Sequence[ir.Value]:
        """Move the sums out: as they are, or requantised by the device."""
        rows, columns, channels = tile.box.sizes[:3]
        assert tile.sums is not None
        scalars = {"pixels": rows * columns, "channels": channels}
        if scale := self._scalars["scale"]:
            result = _empty((rows, columns, channels), 8)
            return [self._call("store_scaled", [tile.sums], result, {**scalars, "scale": scale})]
        moved = _empty((rows, columns, channels), SUM_BITS)
        return [self._call("store_sums", [tile.sums], moved, scalars)]

    def _requantise(self, moved: ir.Value, part: OperandTile) -> ir.Value:
        """Let the host requantise sums into the result, unless the device has done it."""
        if self._scalars["scale"]:
            return part.replaced(moved)
        channel, channels = part.offsets[_CHANNELS], part.sizes[_CHANNELS]
        multipliers, shifts = (
            slice_at(table, (channel,), (channels,)) for table in self.site.call.inputs[4:]
        )
        given = self._scalars
        output = OutputRange(
            given["zero_point"], given["low"], given["high"], bool(given["double_round"])
        )
        factors = Factors(multipliers, shifts)
        return part.replaced(requantised(moved, factors, part.slice(), output))

    def _call(
        self,
        name: str,
        inputs: Sequence[ir.Value],
        out: ir.Value,
        scalars: dict[str, int],
        *,
        accumulates: bool = False,
    ) -> ir.Value:
        word = ir.IntegerType.get_signless(64)
        call = accel.CallOp(
            [out.type],
            f"{self.site.device}.{name}",
            list(inputs),
            [out],
            accumulate=[0] if accumulates else None,
            config={key: ir.IntegerAttr.get(word, value) for key, value in scalars.items()},
        )
        return call.result_tensors[0]


def _nest_of(geometry: LayerGeometry) -> LoopNest:
    """Return the loop nest with the dimensions of blocked weights; its results are int32.

    Weights are `[outputs][inputs][kernel rows][kernel columns]`, of which 16x16 are a block. A
    depthwise layer has one input for each output.
    """
    nest = geometry.nest()
    image, _, bias = nest.inputs
    channel, ky, kx = (Affine.dimension(d) for d in (_CHANNELS, 3, 4))
    depth = Affine() if geometry.depthwise else Affine.dimension(5)
    inputs = 1 if geometry.depthwise else geometry.depth
    shape = (geometry.y_depth, inputs, geometry.kernel_height, geometry.kernel_width)
    weights = OperandAccess(shape, (channel, depth, ky, kx))
    sums = replace(nest.outputs[0], bits=SUM_BITS)
    return replace(nest, inputs=(image, weights, bias), outputs=(sums,))


@dataclass(frozen=True)
class _ArrayCycles:
    """The cycles of the array, one per row of A for each block of weights, and of a fence."""

    depthwise: bool
    latency: int

    def __call__(self, sizes: tuple[int, ...]) -> int:
        rows, columns, channels, *taps = sizes
        depth = 1 if self.depthwise else channel_blocks(taps[2], DIM)
        blocks = channel_blocks(channels, DIM) * depth * taps[0] * taps[1]
        return blocks * max(rows * columns, DIM) + FILL_CYCLES + self.latency


def _rows_of(value: ir.Value, start: int | ir.Value, count: int) -> ir.Value:
    """Return a range of the first dimension, which is contiguous."""
    rest = shape_of(value)[1:]
    return slice_at(value, (start, *[0] * len(rest)), (count, *rest))


def _empty(sizes: Sequence[int], bits: int) -> ir.Value:
    return empty_tensor(sizes, ir.IntegerType.get_signless(bits))


def _number(position: int | ir.Value) -> int:
    """Return a position along a dimension that no loop iterates over."""
    assert isinstance(position, int)
    return position
