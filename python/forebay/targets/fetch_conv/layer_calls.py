"""The calls of the fetcher and of the engine for a tile of a layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import tensor

from forebay.api.dialects import accel
from forebay.api.operators import shape_of
from forebay.api.target import OperandTile, Tile


@dataclass(frozen=True)
class LayerCalls:
    """Builds calls on a device for the tiles of a layer with these scalars."""

    device: str
    config: Mapping[str, int]

    def fetch(self, part: OperandTile) -> ir.Value:
        """Fetch the window of an image that a tile reads, with its border."""
        source = part.slice(axes=(0,))
        count, height, width, lanes = shape_of(source)
        _, vertical, horizontal, _ = part.region.padding
        _, rows, columns, _ = part.sizes
        if part.is_dynamic:
            # Scalars are constants, so the address says where the window begins.
            source, row, column = part.contiguous_range(), 0, 0
        else:
            _, row, column, _ = part.offsets
        out = tensor.EmptyOp([count, *part.region.window.sizes[1:3], lanes], part.element_type)
        return self._call(
            "input_fetcher",
            [source],
            out.result,
            {
                **{"blocks": count, "height": height, "width": width},
                **{"row": row, "rows": rows, "column": column, "columns": columns},
                **{"top": vertical.before, "bottom": vertical.after},
                **{"left": horizontal.before, "right": horizontal.after},
                "zero_point": self.config["x_zero_point"],
            },
        )

    def compute(self, tile: Tile) -> Sequence[ir.Value]:
        """Compute a tile from an image in `act_mem`, which may be larger than its window."""
        image, weights, table = tile.inputs
        source, out = image.slice(axes=(0,)), tile.result(0)
        x_blocks, x_height, x_width, _ = shape_of(source)
        y_blocks, y_height, y_width, _ = shape_of(out)
        _, row, column, _ = image.window_offsets
        config = {
            **self.config,
            **{"x_blocks": x_blocks, "x_height": x_height, "x_width": x_width},
            **{"y_blocks": y_blocks, "y_height": y_height, "y_width": y_width},
            **{"top": -row, "left": -column},
        }
        return [self._call("conv2d", [source, weights.slice(), table.slice()], out, config)]

    def _call(
        self, name: str, inputs: Sequence[ir.Value], out: ir.Value, config: Mapping[str, int]
    ) -> ir.Value:
        word = ir.IntegerType.get_signless(64)
        call = accel.CallOp(
            [out.type],
            f"{self.device}.{name}",
            list(inputs),
            [out],
            config={key: ir.IntegerAttr.get(word, value) for key, value in config.items()},
        )
        return call.result_tensors[0]
