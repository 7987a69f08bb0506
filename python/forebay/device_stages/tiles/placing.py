"""The planner as the judge of a tiling: whether its tiles can be placed in their pools.

Bytes alone say it only for a pool that is one range. Reserved ranges cut a pool into parts, and a
tile must be in one of them:

    pool       |  part  |reserved|     part      |        free bytes: those of both parts
    tiles      | a | b  |        |  c   |

If tiles cannot be placed, the next smaller tiling is tried.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache

from forebay.device_stages.tiles.problem import in_order
from forebay.planning import Buffer, PlanInfeasibleError, Problem, live, plan
from forebay.pools import Pool
from forebay.tiling import LoopTiling, TilingError, TilingProblem, bytes_of_tiles, find_tiling


def tiling_to_place(
    problem: TilingProblem, pools: Mapping[str, Pool], beside: Mapping[str, Sequence[int]]
) -> LoopTiling:
    """Return the best tiling whose tiles can be placed, all at once, beside other buffers.

    `beside` has the bytes of these buffers by pool. Raises `TilingError` if there is no such
    tiling.
    """
    while True:
        chosen, tiling = _best_tiling(problem)
        tiles, usage = bytes_of_tiles(chosen, tiling), dict(tiling.usage)
        short = {
            name
            for name, sizes in tiles.items()
            if not _can_place(pools[name], (*sizes, *beside.get(name, ())))
        }
        if not short:
            return tiling
        smaller = ((n, usage[n] * 15 // 16 if n in short else free) for n, free in problem.pools)
        problem = replace(problem, pools=tuple(smaller))


def _best_tiling(problem: TilingProblem) -> tuple[TilingProblem, LoopTiling]:
    """Return the tiling with the fewest cycles, of those with slots and those in order."""
    problems = [problem, in_order(problem)] if problem.overlaps else [problem]
    found: list[tuple[TilingProblem, LoopTiling]] = []
    for own in problems[:-1]:
        with suppress(TilingError):
            found.append((own, find_tiling(own)))
    found.append((problems[-1], find_tiling(problems[-1])))
    return min(found, key=lambda pair: pair[1].cycles)


def _can_place(pool: Pool, sizes: tuple[int, ...]) -> bool:
    if pool.usable is None or not pool.reserved:
        return True
    return _plan_exists(pool, tuple(sorted(size for size in sizes if size)))


@lru_cache(maxsize=1024)
def _plan_exists(pool: Pool, sizes: tuple[int, ...]) -> bool:
    buffers = tuple(
        Buffer(f"tile{number}", size, live(0, 1), (pool.name,)) for number, size in enumerate(sizes)
    )
    try:
        plan(Problem((pool,), buffers))
    except PlanInfeasibleError:
        return False
    return True
