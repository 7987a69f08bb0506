"""The error of a tiler without a tiling."""

from __future__ import annotations

from collections.abc import Mapping

from forebay.errors import Error
from forebay.tiling.problem import TilingProblem


class TilingError(Error):
    """No tiling fits; `least` has the bytes of each pool that the smallest tiles need.

    `short` are the pools that have fewer, `excess` is the number of bytes that they lack.
    """

    def __init__(self, problem: TilingProblem, least: Mapping[str, int]) -> None:
        self.least = dict(least)
        free = dict(problem.pools)
        self.short = tuple(name for name in free if least[name] > free[name])
        self.excess = sum(least[name] - free[name] for name in self.short)
        short = [
            f"'{name}' needs {least[name]:,} bytes but has {free[name]:,}" for name in self.short
        ]
        super().__init__("the smallest tiles do not fit: pool " + ", pool ".join(short))
