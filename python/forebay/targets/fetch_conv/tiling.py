"""How a layer is cut so that it fits: strips of rows, columns of those, ranges of output blocks.

A tile of the result is `blocks x rows x columns` of it, and needs a window of the image:

    image   rows  0 1 2 3 4 5 6 7 8          kernel of 3 rows at stride 1: the window of a strip
    strip 0      |=======| halo              reaches into its neighbours'; those rows, the halo,
    strip 1           halo |=======|         are fetched twice

The image is fetched strip by strip, the weights are streamed range by range. One of the two is the
outer loop, and what the inner one moves is moved again in each of its rounds:

    image outer      fetched once            weights once, or once per strip where there are ranges
    weights outer    fetched once per range  weights once

What moves the fewest bytes is chosen, then what takes the fewest calls of the engine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from forebay.targets.fetch_conv.geometry import Geometry
from forebay.targets.fetch_conv.layout import BLOCK

UNLIMITED = 1 << 62
"""Bytes of a memory whose size nobody said."""


@dataclass(frozen=True)
class Room:
    """Bytes that are free in the engine's memories, and which images are in there as a whole.

    `streams` says whether weights are brought there for each call.
    """

    act_mem: int = UNLIMITED
    wei_mem: int = UNLIMITED
    x_inside: bool = False
    y_inside: bool = False
    streams: bool = True


@dataclass(frozen=True)
class Tiling:
    """Tiles of at most `blocks` x `rows` x `columns` of the result.

    `moved` counts the bytes that the fetcher and the weight loader read, `calls` those of the
    engine.
    """

    blocks: int
    rows: int
    columns: int
    weights_outer: bool
    moved: int
    calls: int


def tile_bytes(layer: Geometry, room: Room, blocks: int, rows: int, columns: int) -> int:
    """What a tile takes of `act_mem`: its window of the image, and the tile where it is made."""
    height, width = layer.window_size(rows, columns)
    x_blocks = blocks if layer.depthwise else layer.x_blocks
    window = 0 if room.x_inside else x_blocks * height * width * BLOCK
    made = 0 if room.y_inside else blocks * rows * columns * BLOCK
    return window + made


def least_bytes(layer: Geometry, room: Room) -> int:
    """The smallest tile there is: one column of 16 channels."""
    return tile_bytes(layer, room, 1, 1, 1)


def tiling_of(layer: Geometry, room: Room) -> Tiling | None:
    """The cheapest tiling that fits, None where none does."""
    for columns in _sizes(layer.y_width):
        # A column of several rows has gaps in the image and in the result: rows are cut first.
        whole = columns == layer.y_width
        found = [
            tiling
            for rows in (_sizes(layer.y_height) if whole else (1,))
            for tiling in _fitting(layer, room, rows, columns)
        ]
        if found:
            return min(found, key=lambda tiling: (tiling.moved, tiling.calls))
    return None


def _sizes(extent: int) -> Iterator[int]:
    """One size per number of equal cuts, the largest first."""
    yield from dict.fromkeys(-(-extent // count) for count in range(1, extent + 1))


def _fitting(layer: Geometry, room: Room, rows: int, columns: int) -> Iterator[Tiling]:
    most = min(layer.y_blocks, room.wei_mem // layer.weight_bytes if room.streams else UNLIMITED)
    while most and tile_bytes(layer, room, most, rows, columns) > room.act_mem:
        most -= 1
    if not most:
        return
    ranges = -(-layer.y_blocks // most)
    blocks = -(-layer.y_blocks // ranges)
    strips = list(layer.tiles(rows, columns))
    # A run of bytes of the result is what the engine writes: of several rows, one block at a time.
    per_range = blocks if room.y_inside and len(strips) > 1 else 1
    calls = len(strips) * (layer.y_blocks if per_range > 1 else ranges)
    fetched = 0 if room.x_inside else sum(map(layer.fetched_bytes, strips))
    weights = layer.y_blocks * layer.weight_bytes if room.streams else 0
    if layer.depthwise:
        # Each range has its own blocks of the image.
        yield Tiling(blocks, rows, columns, True, fetched + weights, calls)
        return
    streamed = weights * (len(strips) if ranges > 1 else 1)
    yield Tiling(blocks, rows, columns, False, fetched + streamed, calls)
    refetched = fetched * (ranges if len(strips) > 1 else 1)
    yield Tiling(blocks, rows, columns, True, refetched + weights, calls)
