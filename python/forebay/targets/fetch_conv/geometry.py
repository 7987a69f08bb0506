"""The sizes of a layer for the engine, and the window of the image that a tile reads."""

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
    """A range of rows and a range of columns of the result."""

    rows: Extent
    columns: Extent


@dataclass(frozen=True)
class Window:
    """The positions that a tile reads along one direction: border, image positions, border."""

    before: int
    start: int
    size: int
    after: int


@dataclass(frozen=True)
class Geometry:
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

    def tiles(self, rows: int, columns: int) -> Iterator[Tile]:
        """Yield tiles of at most `rows` x `columns`, row by row."""
        for down in cuts(self.y_height, rows):
            for across in cuts(self.y_width, columns):
                yield Tile(down, across)

    def window_size(self, rows: int, columns: int) -> tuple[int, int]:
        """Return how many rows and columns of the image, border included, a tile's windows read."""
        height, width = (
            (count - 1) * step + kernel
            for count, step, kernel in zip((rows, columns), self.stride, self.kernel, strict=True)
        )
        return height, width

    def windows(self, tile: Tile) -> tuple[Window, Window]:
        """Return the rows and the columns that a tile reads."""
        return self._window(0, tile.rows), self._window(1, tile.columns)

    def fetched_bytes(self, tile: Tile) -> int:
        """Return the bytes of the image that a tile of all output blocks reads."""
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
    """Yield consecutive ranges of at most `size`."""
    for start in range(0, extent, size):
        yield Extent(start, min(size, extent - start))
