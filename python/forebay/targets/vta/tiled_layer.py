"""A layer as a tiled operator: what the machine's functions load, multiply and store per tile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

from mlir import ir

from forebay.api.operators import shape_of
from forebay.api.regions import LoopNest
from forebay.api.target import (
    CallCost,
    OperandTile,
    PartialSums,
    Tile,
    TiledInput,
    TiledOperator,
    TiledOutput,
    TileLimit,
    TileStorage,
    TransferCost,
    own_copy,
    slice_at,
)
from forebay.targets.int32_convolution.geometry import LayerGeometry
from forebay.targets.vta.calls import device_call, undefined
from forebay.targets.vta.intrinsics import (
    ACC,
    COMPUTE,
    CONSTANTS,
    INP,
    LOAD,
    WGT,
)
from forebay.targets.vta.references import VECTOR
from forebay.targets.vta.times import BUS_BYTES, CoreTimes

_SUM_BITS = 32
_MOST_PAD = 15
_Y, _X, _CHANNEL = range(3)
_BIAS = 2
_LATENCIES_OF_A_CALL = 8
"""The cost of a call beside its products. With 2, the least that a load of micro-ops and a token
take, products of 49 pixels are cut into 30 tiles instead of 8, for 3 % fewer cycles.
"""
_MOST_STRAIGHT = 8
"""The most tiles that overlap as straight-line code; those of a loop overlap in their slots."""
_LEAST_GAIN = 20
"""The percent of the modelled cycles that more tiles must save.

With 5, the program of the example network has 119 instructions instead of 54, and takes no fewer
cycles with its tokens; ResNet-18's layers have the same tiles.
"""


class FinishedSums(Protocol):
    """The results that are made of the sums of a tile when they are complete."""

    @property
    def bytes_each(self) -> int:
        """The bytes of a sum that leave the machine."""
        ...

    def output(self, value: ir.Value, times: CoreTimes, /) -> TiledOutput:
        """Return the output of the layer, whose destination is `value`."""
        ...

    def complete(self, sums: ir.Value) -> ir.Value:
        """Build what the machine makes of all sums of a tile after its last product."""
        ...

    def finish(self, tile: Tile) -> Sequence[ir.Value]:
        """Build what stores the sums of a tile, or of a run of it; return what is stored."""
        ...


@dataclass(frozen=True)
class LayerOperands:
    """The operands of a layer."""

    image: ir.Value
    weights: ir.Value
    bias: ir.Value
    border: ir.Value


@dataclass(frozen=True)
class _ProductCycles:
    """The cycles of the products of a tile, by its sizes in the domain.

    `per_call` is for the micro-ops that the core loads before, and keeps programs short.
    """

    has_input_channels: bool
    per_call: int

    def __call__(self, sizes: tuple[int, ...]) -> int:
        y, x, channels, ky, kx, *inputs = sizes
        products = y * x * -(-channels // VECTOR) * ky * kx
        depth = -(-inputs[0] // VECTOR) if inputs else 1
        return products * depth + self.per_call


@dataclass(frozen=True)
class TiledLayer:
    """A layer with the operands and scalars of its call."""

    device: str
    scalars: Mapping[str, int]
    operands: LayerOperands
    finished: FinishedSums
    times: CoreTimes

    @cached_property
    def geometry(self) -> LayerGeometry:
        """The sizes of the layer; its channels are multiples of 16."""
        return LayerGeometry.of(self.scalars)

    def operator(self, result: ir.Value, *, whole_rows: bool = False) -> TiledOperator:
        """Return the operator that is cut into tiles; `result` is its destination.

        With `whole_rows`, tiles are whole rows of all channels, which are contiguous in the result.
        """
        per_call = self.times.latency
        nest = self._nest()
        block, whole = TileLimit(multiple=VECTOR), TileLimit(is_whole=True)
        depth = () if self.geometry.depthwise else (block,)
        taps = (whole, whole, *depth)
        image = TileStorage(
            INP,
            TransferCost(LOAD, per_call, BUS_BYTES),
            granules=(1, 1, VECTOR),
            slots=2,
            with_padding=True,
        )
        weights = TileStorage(
            WGT,
            TransferCost(LOAD, per_call, BUS_BYTES),
            granules=(VECTOR, 1, 1, VECTOR)[: 3 + len(depth)],
            slots=2,
            may_stay=True,
        )
        return TiledOperator(
            nest,
            (TileLimit(), *((whole, whole) if whole_rows else (TileLimit(), block)), *taps),
            (
                TiledInput(self.operands.image, image, self._load_image),
                TiledInput(self.operands.weights, weights, self._load_weights),
                TiledInput(self.operands.bias, TileStorage(CONSTANTS), dynamic_offsets=True),
            ),
            (self.finished.output(result, self.times),),
            self._multiply,
            PartialSums(
                TileStorage(ACC, granules=(1, 1, VECTOR), slots=2),
                begin=self._load_bias,
                finish=self.finished.finish,
                always=True,
            ),
            loops=frozenset({_Y, _X, _CHANNEL}),
            most_straight=_MOST_STRAIGHT,
            least_gain=_LEAST_GAIN,
            calls=CallCost(
                _ProductCycles(not self.geometry.depthwise, _LATENCIES_OF_A_CALL * per_call),
                COMPUTE,
            ),
            overlaps=True,
            smallest="one pixel of 16 channels of this layer",
        )

    def _nest(self) -> LoopNest:
        """Return the loop nest with the bytes that leave the machine, and those of its weights."""
        nest = self.geometry.nest()
        (result,) = nest.outputs
        image, weights, bias = nest.inputs
        if self.geometry.depthwise:
            # Each weight is on the diagonal of a matrix, a row of which is 16 elements.
            weights = replace(weights, bits=8 * VECTOR)
        result = replace(result, bits=8 * self.finished.bytes_each)
        return replace(nest, inputs=(image, weights, bias), outputs=(result,))

    # ---- Loads -----------------------------------------------------------------------------------

    def _load_image(self, part: OperandTile) -> ir.Value:
        rows, columns, channels = part.sizes
        vertical, horizontal, _ = part.region.padding
        depth, blocks = self.geometry.depth // VECTOR, channels // VECTOR
        sizes = [
            vertical.before + rows + vertical.after,
            horizontal.before + columns + horizontal.after,
            channels,
        ]
        return device_call(
            self.device,
            "load_image",
            [
                part.contiguous_range() if rows and columns else part.tensor,
                self.operands.border,
            ],
            undefined(sizes, 8),
            rows=rows,
            columns=columns,
            row_stride=self.geometry.width * depth,
            pixel_stride=depth,
            blocks=blocks,
            top=vertical.before,
            bottom=vertical.after,
            left=horizontal.before,
            right=horizontal.after,
            pads=int(
                self.scalars["border_is_zero"]
                and rows > 0
                and columns > 0
                and blocks == depth
                and max(vertical.before, vertical.after) <= _MOST_PAD
                and max(horizontal.before, horizontal.after) * blocks <= _MOST_PAD
            ),
        )

    def _load_weights(self, part: OperandTile) -> ir.Value:
        """Copy the weights of blocks of outputs and inputs, which becomes a transfer."""
        block = (VECTOR, 1, 1, VECTOR)[: len(part.positions)]
        offsets, sizes = part.block_offsets(block), part.block_sizes(block)
        if self.geometry.depthwise:
            offsets, sizes = (*offsets, 0), (*sizes, 1)
        return own_copy(slice_at(part.tensor, (*offsets, 0, 0), (*sizes, VECTOR, VECTOR)))

    def _load_bias(self, tile: Tile) -> ir.Value:
        rows, columns, channels = tile.box.spans[:3]
        return device_call(
            self.device,
            "load_bias",
            [tile.inputs[_BIAS].slice()],
            undefined([rows.size, columns.size, channels.size], _SUM_BITS),
            pixels=rows.size * columns.size,
            blocks=channels.size // VECTOR,
        )

    # ---- Products --------------------------------------------------------------------------------

    def _multiply(self, tile: Tile) -> Sequence[ir.Value]:
        image, weights, _ = tile.inputs
        assert tile.sums is not None
        geometry = self.geometry
        rows, columns, channels = (span.size for span in tile.box.spans[:3])
        _, image_columns, image_depth = shape_of(image.tensor)
        weight_blocks = shape_of(weights.tensor)[3]
        row, column, channel = (_known(position.value()) for position in image.positions)
        output, _, _, *inputs = (_known(position.value()) for position in weights.positions)
        image_blocks = image_depth // VECTOR
        taps = geometry.kernel_height * geometry.kernel_width
        made = device_call(
            self.device,
            "multiply",
            [image.tensor, weights.tensor],
            tile.sums,
            is_changed=True,
            rows=rows,
            columns=columns,
            out_blocks=channels // VECTOR,
            in_blocks=(channels if geometry.depthwise else tile.box.spans[-1].size) // VECTOR,
            kernel_rows=geometry.kernel_height,
            kernel_columns=geometry.kernel_width,
            stride_rows=geometry.stride_y,
            stride_columns=geometry.stride_x,
            image_columns=image_columns,
            image_blocks=image_blocks,
            weight_blocks=weight_blocks,
            dilation_rows=geometry.dilation_y,
            dilation_columns=geometry.dilation_x,
            depthwise=geometry.depthwise,
            image_first=(row * image_columns + column) * image_blocks + channel // VECTOR,
            weights_first=output // VECTOR * taps * weight_blocks + sum(inputs) // VECTOR,
        )
        return [self.finished.complete(made) if tile.is_last else made]


def _known(position: int | ir.Value) -> int:
    """Return the position of a tile that is in no loop."""
    assert isinstance(position, int)
    return position
