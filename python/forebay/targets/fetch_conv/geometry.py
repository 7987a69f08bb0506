"""The sizes of a layer as the engine sees them, and which window of the image a tile needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from forebay.targets.fetch_conv.layout import BLOCK


@dataclass(frozen=True)
class Extent:
    """Positions `[start, start + size)` along one direction."""

    start: int
    size: int


@dataclass(frozen=True)
class Tile:
    """Rows and columns of the result."""

    rows: Extent
    columns: Extent


@dataclass(frozen=True)
class Window:
    """What a tile reads along one direction: a border, `size` positions of the image, a border."""

    before: int
    start: int
    size: int
    after: int


@dataclass(frozen=True)
class Geometry:
    """A layer's sizes; images are in blocks, `weight_bytes` are of one output block and its table.

    `kernel`, `stride` and `before`, the rows and columns in front of the image that the first
    window reads, are for both directions.
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
        """Of a call's scalars."""
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
        """Rows of the result."""
        return self.y_size[0]

    @property
    def y_width(self) -> int:
        """Columns of the result."""
        return self.y_size[1]

    def tiles(self, rows: int, columns: int) -> Iterator[Tile]:
        """Tiles of at most so many rows and columns, row by row."""
        for down in cuts(self.y_height, rows):
            for across in cuts(self.y_width, columns):
                yield Tile(down, across)

    def window_size(self, rows: int, columns: int) -> tuple[int, int]:
        """Rows and columns of the image, its border included, that a tile's windows read."""
        height, width = (
            (count - 1) * step + kernel
            for count, step, kernel in zip((rows, columns), self.stride, self.kernel, strict=True)
        )
        return height, width

    def windows(self, tile: Tile) -> tuple[Window, Window]:
        """What a tile reads of rows and of columns."""
        return self._window(0, tile.rows), self._window(1, tile.columns)

    def fetched_bytes(self, tile: Tile) -> int:
        """Bytes of the image that a tile of all output blocks reads."""
        rows, columns = self.windows(tile)
        return self.x_blocks * rows.size * columns.size * BLOCK

    def _window(self, axis: int, extent: Extent) -> Window:
        first = extent.start * self.stride[axis] - self.before[axis]
        size = (extent.size - 1) * self.stride[axis] + self.kernel[axis]
        inside = self.x_size[axis]
        start, end = (max(0, min(at, inside)) for at in (first, first + size))
        before = min(size, max(0, -first))
        return Window(before, start, end - start, size - before - (end - start))


def cuts(extent: int, size: int) -> Iterator[Extent]:
    """Ranges of at most `size`, one behind the other."""
    for start in range(0, extent, size):
        yield Extent(start, min(size, extent - start))
