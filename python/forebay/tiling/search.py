"""The search: tile sizes, loop order and inputs that stay, with the fewest cycles.

Sizes are tried dimension by dimension, the largest first. A branch ends where its smallest tiles do
not fit. A choice of sizes is dropped if it is not better than the best tiling even with every
operand moved once, which is a lower bound for each order of the loops.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import lru_cache

from forebay.tiling.errors import TilingError
from forebay.tiling.problem import TilingProblem
from forebay.tiling.tiling import LoopTiling, TilingCosts

_Rank = tuple[int, int, int]


@lru_cache(maxsize=1024)
def find_tiling(problem: TilingProblem) -> LoopTiling:
    """Return the tiling with the fewest cycles, then bytes moved, then calls.

    Raises `TilingError` if not even the smallest tiles fit; it has the bytes that they need.
    """
    costs = TilingCosts(problem)
    best: LoopTiling | None = None
    for sizes in _fitting_sizes(costs):
        calls = costs.call_cycles(sizes)
        if best is not None and _bound(costs, sizes, calls) >= _rank(best):
            continue
        for order, staying in itertools.product(
            itertools.permutations(costs.active(sizes)), costs.stayings
        ):
            if costs.fits(costs.usage(sizes, order, staying)):
                tiling = costs.tiling(sizes, order, staying, calls)
                best = tiling if best is None else min(best, tiling, key=_rank)
    if best is None:
        raise TilingError(problem, least_usage(problem))
    return best


def least_usage(problem: TilingProblem) -> dict[str, int]:
    """Return the bytes of each pool that the smallest tiles need.

    There may be two kinds of smallest tiles: with the reduction cut, and with all of it but without
    accumulators. The one that exceeds the pools by fewer bytes is returned.
    """
    costs = TilingCosts(problem)
    usages = [dict(costs.least_usage(sizes)) for sizes in costs.smallest]

    def excess(usage: dict[str, int]) -> tuple[int, int]:
        over = sum(max(0, usage[name] - free) for name, free in problem.pools)
        return over, sum(usage.values())

    return min(usages, key=excess)


def _fitting_sizes(costs: TilingCosts) -> Iterator[tuple[int, ...]]:
    """Yield the tile sizes that fit in the best order of the loops, larger ones first."""
    choices = [costs.problem.sizes_of(d) for d in range(len(costs.extents))]

    def extended(chosen: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        rests = ((*chosen, *smallest[len(chosen) :]) for smallest in costs.smallest)
        if not any(costs.fits(costs.least_usage(sizes)) for sizes in rests):
            return
        if len(chosen) == len(choices):
            yield chosen
            return
        for size in choices[len(chosen)]:
            yield from extended((*chosen, size))

    yield from extended(())


def _bound(costs: TilingCosts, sizes: tuple[int, ...], calls: tuple[int, int]) -> _Rank:
    """Return a rank that no order of the loops is below."""
    everything = max(costs.stayings, key=len)
    once = [(size, 0) for size, _ in costs.transfers(sizes, (), frozenset())]
    whole = [(size, 0) for size, _ in costs.transfers(sizes, (), everything)]
    least = [min(pair) for pair in zip(once, whole, strict=True)]
    cycles, count = calls
    return costs.total_cycles(least, cycles), sum(size for size, _ in least), count


def _rank(tiling: LoopTiling) -> _Rank:
    return tiling.cycles, sum(tiling.moved), tiling.calls
