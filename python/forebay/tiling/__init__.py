"""Tiling: cuts a loop nest into tiles that fit into pools, with the fewest modelled cycles.

May import `forebay.errors` and `forebay.regions`; imports no MLIR.
Gives the problem and solution data types, the search, and the least bytes that any tiling needs.

Internal: may change without notice.
"""

from forebay.tiling.contiguous import contiguous_runs
from forebay.tiling.errors import TilingError
from forebay.tiling.problem import (
    MOST_STRAIGHT,
    CallCost,
    ScratchStorage,
    TileLimit,
    TileStorage,
    TilingProblem,
    TransferCost,
)
from forebay.tiling.search import (
    bytes_of_tiles,
    find_tiling,
    least_usage,
    usage_as_one_tile,
)
from forebay.tiling.tiling import LoopTiling

__all__ = [
    "MOST_STRAIGHT",
    "CallCost",
    "LoopTiling",
    "ScratchStorage",
    "TileLimit",
    "TileStorage",
    "TilingError",
    "TilingProblem",
    "TransferCost",
    "bytes_of_tiles",
    "contiguous_runs",
    "find_tiling",
    "least_usage",
    "usage_as_one_tile",
]
