"""Tiles of an operator's call: the stage that devices share.

A device describes the call as a `TiledOperator`; `lower_in_tiles` cuts it so that it fits into the
free bytes, and builds loads, calls and stores. May import `dialects`, `ir`, `regions`, `tiling` and
`device_stages`.

Public as `forebay.api.target`; the rest may change without notice.
"""

from forebay.device_stages.tiles.lower import lower_in_tiles, reserve_for_tiles
from forebay.device_stages.tiles.operator import (
    PartialSums,
    TiledInput,
    TiledOperator,
    TiledOutput,
)
from forebay.device_stages.tiles.slices import empty_tensor, own_copy, slice_at
from forebay.device_stages.tiles.tile import OperandTile, Tile

__all__ = [
    "OperandTile",
    "PartialSums",
    "Tile",
    "TiledInput",
    "TiledOperator",
    "TiledOutput",
    "empty_tensor",
    "lower_in_tiles",
    "own_copy",
    "reserve_for_tiles",
    "slice_at",
]
