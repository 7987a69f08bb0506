"""The sizes of a layer for the engine, and the window of the image that a tile reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from msgspec import Struct

from forebay.api.regions import (
    Box,
    LoopNest,
    OperandAccess,
    OperandRegion,
    Span,
    induction_variables,
    input_regions,
    tiles,
)
from forebay.targets.fetch_conv.layout import BLOCK


class Geometry(Struct, frozen=True):
    """The sizes of a layer; images are in blocks.

    `weight_bytes` is the size of the weights and the table of one output block. `kernel`, `stride`
    and `before` are for rows and for columns; `before` counts the rows and columns before the image
    that the first window reads.
    """

    x_blocks: int
    x_size: tuple[int, int]
    y_blocks: int
    y_size: tuple[int, int]
    kernel: tuple[int, int]
    stride: tuple[int, int]
    before: tuple[int, int]
    depthwise: bool
    weight_bytes: int

    @staticmethod
    def of(config: Mapping[str, int], weight_bytes: int) -> Geometry:
        """Return the geometry in the scalars of a call."""
        return Geometry(
            config["x_blocks"],
            (config["x_height"], config["x_width"]),
            config["y_blocks"],
            (config["y_height"], config["y_width"]),
            (config["kernel_height"], config["kernel_width"]),
            (config["stride_y"], config["stride_x"]),
            (config["top"], config["left"]),
            bool(config["depthwise"]),
            weight_bytes,
        )

    @property
    def y_height(self) -> int:
        """The rows of the result."""
        return self.y_size[0]

    @property
    def y_width(self) -> int:
        """The columns of the result."""
        return self.y_size[1]

    def tiles(self, rows: int, columns: int) -> Iterator[Box]:
        """Yield tiles of at most `rows` x `columns` of the result, row by row."""
        return tiles(Box.of(self.y_size), (rows, columns))

    def windows(self, tile: Box) -> tuple[OperandRegion, OperandRegion]:
        """Return the rows and the columns of the image that a tile reads."""
        rows, columns = (_window(self._along(axis), span) for axis, span in enumerate(tile.spans))
        return rows, columns

    def window_size(self, rows: int, columns: int) -> tuple[int, int]:
        """Return how many rows and columns of the image, border included, a tile's windows read."""
        height, width = self.windows(Box.of((rows, columns)))
        return height.window.elements, width.window.elements

    def fetched_bytes(self, rows: int, columns: int) -> int:
        """Return the bytes of the image that tiles of all output blocks read, all together."""
        lines, positions = (
            sum(_window(self._along(axis), span).inside.elements for span in spans)
            for axis, spans in enumerate(self._cuts(rows, columns))
        )
        return self.x_blocks * lines * positions * BLOCK

    def _cuts(self, *sizes: int) -> Iterator[list[Span]]:
        for extent, size in zip(self.y_size, sizes, strict=True):
            yield [tile.spans[0] for tile in tiles(Box.of((extent,)), (size,))]

    def _along(self, axis: int) -> LoopNest:
        """Return the layer in one direction: which rows, or columns, are read for which."""
        y, k = induction_variables(2)
        index = y * self.stride[axis] + k - self.before[axis]
        extent = self.y_size[axis]
        return LoopNest(
            (extent,),
            (self.kernel[axis],),
            (OperandAccess((self.x_size[axis],), (index,), clamped=True),),
            (OperandAccess((extent,), (y,)),),
        )


@lru_cache(maxsize=4096)
def _window(nest: LoopNest, span: Span) -> OperandRegion:
    """Return the rows, or columns, of the image for a range of the result."""
    (image,) = input_regions(nest, nest.domain.with_span(0, span))
    return image
