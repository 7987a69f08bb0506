"""Cut a layer so that it fits: strips of rows, columns of strips, ranges of output blocks.

A tile is `blocks x rows x columns` of the result, and needs a window of the image:

    image   rows  0 1 2 3 4 5 6 7 8          kernel of 3 rows at stride 1: the window of a strip
    strip 0      |=======| halo              reaches into its neighbours'; those rows, the halo,
    strip 1           halo |=======|         are fetched twice

The image is fetched strip by strip; the weights are streamed range by range. One of them is the
outer loop, and the data of the inner loop is moved again in each iteration of the outer loop:

    image outer      fetched once            weights once, or once per strip where there are ranges
    weights outer    fetched once per range  weights once

The tiling that moves the fewest bytes is chosen; among these, the one with the fewest engine calls.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from forebay.api.regions import even_sizes
from forebay.targets.fetch_conv.geometry import Geometry
from forebay.targets.fetch_conv.layout import BLOCK

UNLIMITED = 1 << 62
"""The bytes of a memory without a given capacity."""


class FreeMemory(Struct, frozen=True):
    """The bytes that are free in the engine's memories, and which images are there as a whole.

    `streams` says whether weights are loaded into `wei_mem` for each call.
    """

    act_mem: int = UNLIMITED
    wei_mem: int = UNLIMITED
    x_inside: bool = False
    y_inside: bool = False
    streams: bool = True


class Tiling(Struct, frozen=True):
    """Tiles of at most `blocks` x `rows` x `columns` of the result.

    `moved` counts the bytes that the fetcher and the weight loader read; `calls` counts the calls
    of the engine.
    """

    blocks: int
    rows: int
    columns: int
    weights_outer: bool
    moved: int
    calls: int


def tile_bytes(layer: Geometry, free: FreeMemory, blocks: int, rows: int, columns: int) -> int:
    """Return the bytes of `act_mem` for a tile: its window of the image, and its result."""
    height, width = layer.window_size(rows, columns)
    x_blocks = blocks if layer.depthwise else layer.x_blocks
    window = 0 if free.x_inside else x_blocks * height * width * BLOCK
    made = 0 if free.y_inside else blocks * rows * columns * BLOCK
    return window + made


def least_bytes(layer: Geometry, free: FreeMemory) -> int:
    """Return the bytes of the smallest tile: one column of 16 channels."""
    return tile_bytes(layer, free, 1, 1, 1)


def tiling_of(layer: Geometry, free: FreeMemory) -> Tiling | None:
    """Return the cheapest tiling that fits, None where none does."""
    for columns in even_sizes(layer.y_width):
        # Columns of several rows are not contiguous in image and result, so rows are cut first.
        whole = columns == layer.y_width
        found = [
            tiling
            for rows in (even_sizes(layer.y_height) if whole else (1,))
            for tiling in _fitting(layer, free, rows, columns)
        ]
        if found:
            return min(found, key=lambda tiling: (tiling.moved, tiling.calls))
    return None


def _fitting(layer: Geometry, free: FreeMemory, rows: int, columns: int) -> Iterator[Tiling]:
    most = min(layer.y_blocks, free.wei_mem // layer.weight_bytes if free.streams else UNLIMITED)
    while most and tile_bytes(layer, free, most, rows, columns) > free.act_mem:
        most -= 1
    if not most:
        return
    ranges = -(-layer.y_blocks // most)
    blocks = -(-layer.y_blocks // ranges)
    strips = -(-layer.y_height // rows) * -(-layer.y_width // columns)
    # The engine writes one contiguous range of the result: with several rows, one block per call.
    per_range = blocks if free.y_inside and strips > 1 else 1
    calls = strips * (layer.y_blocks if per_range > 1 else ranges)
    fetched = 0 if free.x_inside else layer.fetched_bytes(rows, columns)
    weights = layer.y_blocks * layer.weight_bytes if free.streams else 0
    if layer.depthwise:
        # Each range has its own blocks of the image.
        yield Tiling(blocks, rows, columns, True, fetched + weights, calls)
        return
    streamed = weights * (strips if ranges > 1 else 1)
    yield Tiling(blocks, rows, columns, False, fetched + streamed, calls)
    refetched = fetched * (ranges if strips > 1 else 1)
    yield Tiling(blocks, rows, columns, True, refetched + weights, calls)
