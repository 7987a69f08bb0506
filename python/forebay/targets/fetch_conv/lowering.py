"""Lower a layer in tiles to calls of the fetcher and the engine on tensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mlir import ir
from msgspec import Struct

from forebay.api.dialects import accel
from forebay.api.operators import element_type, shape_of
from forebay.api.regions import Box, Span, cuts
from forebay.api.target import CallSite
from forebay.targets.fetch_conv import slices
from forebay.targets.fetch_conv.geometry import Geometry
from forebay.targets.fetch_conv.tiling import FreeMemory, Tiling


@dataclass
class LayerLowering:
    """The lowering of one layer with its tiling."""

    site: CallSite
    layer: Geometry
    free: FreeMemory
    tiling: Tiling

    def result(self) -> ir.Value:
        """Build the tiles and return the layer's result."""
        tiles = list(self.layer.tiles(self.tiling.rows, self.tiling.columns))
        ranges = list(cuts(Span(0, self.layer.y_blocks), self.tiling.blocks))
        value = self.site.call.outputs[0]
        if self.tiling.weights_outer:
            return self._weights_outer(ranges, tiles, value)
        return self._image_outer(ranges, tiles, value)

    def _image_outer(
        self, ranges: Sequence[Span], tiles: Sequence[Box], value: ir.Value
    ) -> ir.Value:
        loaded = self._loaded(ranges[0]) if len(ranges) == 1 else None
        for tile in tiles:
            image = self._image(tile, None)
            for blocks in ranges:
                weights = loaded or self._loaded(blocks)
                value = self._computed(value, image, weights, blocks, tile)
        return value

    def _weights_outer(
        self, ranges: Sequence[Span], tiles: Sequence[Box], value: ir.Value
    ) -> ir.Value:
        fetched_once = len(tiles) == 1 and not self.layer.depthwise
        whole = self._image(tiles[0], None) if fetched_once else None
        for blocks in ranges:
            weights = self._loaded(blocks)
            for tile in tiles:
                image = whole or self._image(tile, blocks if self.layer.depthwise else None)
                value = self._computed(value, image, weights, blocks, tile)
        return value

    # ---- The operands of a call of the engine ----------------------------------------------------

    def _loaded(self, blocks: Span) -> _Weights:
        """Return weights and table of a range of output blocks, in `wei_mem`."""
        _, weights, table = self.site.call.inputs
        parts = (slices.first(weights, blocks), slices.first(table, blocks))
        if self.free.streams:
            parts = (slices.moved(parts[0]), slices.moved(parts[1]))
        return _Weights(*parts)

    def _image(self, tile: Box, blocks: Span | None) -> _Image:
        """Return the window of the image that a tile reads: of these blocks, or of all for None."""
        source = self.site.call.inputs[0]
        if blocks is not None:
            source = slices.first(source, blocks)
        rows, columns = self.layer.windows(tile)
        if self.free.x_inside:
            return _Image(
                source,
                -rows.window.offsets[0],
                -columns.window.offsets[0],
            )
        count, height, width, lanes = shape_of(source)
        size = (*rows.window.sizes, *columns.window.sizes)
        type_ = ir.RankedTensorType.get([count, *size, lanes], element_type(source))
        (vertical,), (horizontal,) = rows.padding, columns.padding
        fetched = self._call(
            "input_fetcher",
            [source],
            slices.empty_box(type_),
            {
                **{"blocks": count, "height": height, "width": width},
                **{"row": rows.inside.offsets[0], "rows": rows.inside.elements},
                **{"column": columns.inside.offsets[0], "columns": columns.inside.elements},
                **{"top": vertical.before, "bottom": vertical.after},
                **{"left": horizontal.before, "right": horizontal.after},
                "zero_point": scalars_of(self.site.call)["x_zero_point"],
            },
        )
        return _Image(fetched, 0, 0)

    # ---- The result of a call of the engine ------------------------------------------------------

    def _computed(
        self, value: ir.Value, image: _Image, weights: _Weights, blocks: Span, tile: Box
    ) -> ir.Value:
        """Compute a tile of a range of blocks and return the result with it inserted."""
        box = slices.block_box(blocks, tile)
        if not self.free.y_inside:
            made = self._convolved(image, weights, slices.empty_box(slices.type_in(value, box)))
            return slices.copied(made, value, box)
        if slices.is_contiguous_box(value, box):
            made = self._convolved(image, weights, slices.cut(value, box))
            return slices.put(made, value, box)
        for block in cuts(Span(0, blocks.size), 1):
            own = box.with_span(0, block.shifted(blocks.start))
            source = image.of(block) if self.layer.depthwise else image
            made = self._convolved(source, weights.of(block), slices.cut(value, own))
            value = slices.put(made, value, own)
        return value

    def _convolved(self, image: _Image, weights: _Weights, out: ir.Value) -> ir.Value:
        x_blocks, x_height, x_width, _ = shape_of(image.value)
        y_blocks, y_height, y_width, _ = shape_of(out)
        config = {
            **scalars_of(self.site.call),
            **{"x_blocks": x_blocks, "x_height": x_height, "x_width": x_width},
            **{"y_blocks": y_blocks, "y_height": y_height, "y_width": y_width},
            **{"top": image.top, "left": image.left},
        }
        return self._call("conv2d", [image.value, weights.values, weights.table], out, config)

    def _call(
        self, name: str, inputs: Sequence[ir.Value], out: ir.Value, config: dict[str, int]
    ) -> ir.Value:
        word = ir.IntegerType.get_signless(64)
        call = accel.CallOp(
            [out.type],
            f"{self.site.device}.{name}",
            list(inputs),
            [out],
            config={key: ir.IntegerAttr.get(word, value) for key, value in config.items()},
        )
        return call.result_tensors[0]


class _Image(Struct, frozen=True, eq=False):
    """An image in `act_mem`, and the rows above and columns left of it that windows read."""

    value: ir.Value
    top: int
    left: int

    def of(self, blocks: Span) -> _Image:
        """Return the image of some of its blocks."""
        return replace(self, value=slices.first(self.value, blocks))


class _Weights(Struct, frozen=True, eq=False):
    """The weights and the table of a range of output blocks in `wei_mem`."""

    values: ir.Value
    table: ir.Value

    def of(self, blocks: Span) -> _Weights:
        """Return the weights and the table of some of the blocks."""
        return _Weights(slices.first(self.values, blocks), slices.first(self.table, blocks))


def scalars_of(call: accel.CallOp) -> dict[str, int]:
    """Return the scalars of a call by name."""
    assert call.config is not None
    entries = ir.DictAttr(call.config)
    return {entries[i].name: ir.IntegerAttr(entries[i].attr).value for i in range(len(entries))}
