"""The search: tile sizes, loop order and inputs that stay, with the fewest cycles.

Sizes are enumerated dimension by dimension, the largest first. A branch ends where its smallest
tiles do not fit. Every operand moved once is a lower bound for each order of the loops. Sizes are
tried in the order of these bounds, until a bound is above the best tiling.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from forebay.tiling.errors import TilingError
from forebay.tiling.pipeline import PipelinedTiles, TilePipeline
from forebay.tiling.problem import TilingProblem
from forebay.tiling.tiling import LoopTiling, Moves, TilingCosts

_SIMULATED = 16
"""The most tilings whose time is computed tile by tile: those with the least bounds."""

_Rank = tuple[int, int, int]
_Choice = tuple[tuple[int, ...], tuple[int, ...], frozenset[int]]
"""Sizes, order of the loops, and inputs that stay."""


@lru_cache(maxsize=1024)
def find_tiling(problem: TilingProblem) -> LoopTiling:
    """Return the tiling with the fewest cycles, then bytes moved, then calls.

    Raises `TilingError` if not even the smallest tiles fit; it has the bytes that they need.
    """
    costs = TilingCosts(problem)
    best: tuple[_Rank, int, _Choice] | None = None
    seen: list[tuple[_Rank, _Choice]] = []
    bounds = _by_bound(costs)
    for bound, number, sizes in bounds:
        if best is not None and (bound, number) >= best[:2]:
            if bound > best[0]:
                break
            continue
        found = _best_order(costs, sizes, None if best is None else best[0])
        if found is None:
            continue
        seen.append((bound, found[1]))
        if best is None or (found[0], number) < best[:2]:
            best = (found[0], number, found[1])
    if best is None:
        raise TilingError(problem, least_usage(problem))
    tiling = _tiling(costs, *best[2])
    if not problem.overlaps or costs.calls.tiles(tiling.sizes) > problem.most_straight:
        return tiling
    others = [choice for _, choice in sorted(seen)[:_SIMULATED]]
    return _with_ends(
        costs, [best[2], *others, *_with_fewer_tiles(costs, bounds, best[0], best[2])]
    )


def _with_ends(costs: TilingCosts, choices: Sequence[_Choice]) -> LoopTiling:
    """Return the best of some tilings by their time tile by tile, with smaller tiles at the ends.

    Tilings of many tiles are left out: their ends are a small part, and they become loops. Of those
    whose time is within the least gain, the one with the fewest tiles is the best.
    """
    found: list[tuple[PipelinedTiles, _Choice]] = []
    for choice in dict.fromkeys(choices):
        if costs.calls.tiles(choice[0]) <= costs.problem.most_straight:
            found += ((tiles, choice) for tiles in TilePipeline(costs, *choice).with_ends())
    least = min(tiles.cycles for tiles, _ in found)
    tiles, choice = min(
        (pair for pair in found if _is_near(pair[0].cycles, least, costs.problem.least_gain)),
        key=lambda pair: (pair[0].count if costs.problem.least_gain else 0, pair[0].cycles),
    )
    return replace(_tiling(costs, *choice), cycles=tiles.cycles, ends=tiles.ends)


def _with_fewer_tiles(
    costs: TilingCosts,
    bounds: Sequence[tuple[_Rank, int, tuple[int, ...]]],
    best: _Rank,
    choice: _Choice,
) -> list[_Choice]:
    """Return tilings with fewer tiles than a choice that may be within the least gain of it."""
    most, gain = costs.calls.tiles(choice[0]), costs.problem.least_gain
    fewer = [
        (costs.calls.tiles(sizes), bound, sizes)
        for bound, _, sizes in bounds
        if gain and _is_near(bound[0], best[0], gain) and costs.calls.tiles(sizes) < most
    ]
    found = (_best_order(costs, sizes, None) for _, _, sizes in sorted(fewer)[:_SIMULATED])
    return [other[1] for other in found if other is not None]


def _is_near(cycles: int, least: int, percent: int) -> bool:
    return cycles * 100 <= least * (100 + percent)


def least_usage(problem: TilingProblem) -> dict[str, int]:
    """Return the bytes of each pool that the smallest tiles need.

    There may be two kinds of smallest tiles: with the reduction cut, and with all of it but without
    accumulators. The one that exceeds the pools by fewer bytes is returned.
    """
    costs = TilingCosts(problem)
    usages = [costs.least_usage(sizes) for sizes in costs.smallest]

    def excess(usage: dict[str, int]) -> tuple[int, int]:
        over = sum(max(0, usage[name] - free) for name, free in problem.pools)
        return over, sum(usage.values())

    return min(usages, key=excess)


def usage_as_one_tile(problem: TilingProblem) -> dict[str, int]:
    """Return the bytes of each pool if nothing is cut that may be whole."""
    costs = TilingCosts(problem)
    largest = [problem.sizes_of(d)[0] for d in range(len(costs.extents))]
    return costs.usage(largest, costs.active(largest), frozenset())


def bytes_of_tiles(problem: TilingProblem, tiling: LoopTiling) -> dict[str, list[int]]:
    """Return the bytes of each slot by pool; those of accumulators together."""
    return TilingCosts(problem).slots(tiling.sizes, tiling.order, tiling.staying)


def _fitting_sizes(costs: TilingCosts) -> list[tuple[int, ...]]:
    """Return the tile sizes that fit in the best order of the loops, larger ones first."""
    choices = [costs.problem.sizes_of(d) for d in range(len(costs.extents))]
    several = [d for d, sizes in enumerate(choices) if len(sizes) > 1]
    found: list[tuple[int, ...]] = []

    def extend(chosen: int, rests: Sequence[list[int]], *, fit: bool) -> None:
        """Add sizes; `rests` have those chosen so far, and the smallest of the others.

        `fit` says that they are known to fit.
        """
        if not fit and not any(costs.fits(costs.least_usage(sizes)) for sizes in rests):
            return
        if chosen == len(several):
            found.append(tuple(rests[0]))
            return
        d = several[chosen]
        smaller_fit = False
        for size in choices[d]:
            before = len(found)
            extended = _distinct([[*rest[:d], size, *rest[d + 1 :]] for rest in rests])
            extend(chosen + 1, extended, fit=smaller_fit)
            smaller_fit = smaller_fit or (len(found) > before and costs.grows_from(d, size))

    extend(0, [list(sizes) for sizes in costs.smallest], fit=False)
    return found


def _distinct(rests: list[list[int]]) -> list[list[int]]:
    return rests[:1] if len(rests) > 1 and rests[0] == rests[1] else rests


def _by_bound(costs: TilingCosts) -> list[tuple[_Rank, int, tuple[int, ...]]]:
    """Return the sizes that fit, with a rank that no order of the loops is below, in its order.

    Among equal ranks, sizes are in the order of the enumeration, whose numbers they have.
    """
    found: list[tuple[_Rank, int, tuple[int, ...]]] = []
    for number, sizes in enumerate(_fitting_sizes(costs)):
        bound = _bound(costs, costs.least_moves(sizes), costs.calls.of(sizes))
        found.append((bound, number, sizes))
    return sorted(found)


def _best_order(
    costs: TilingCosts, sizes: tuple[int, ...], limit: _Rank | None
) -> tuple[_Rank, _Choice] | None:
    """Return the best order of the loops and the inputs that stay; None if it is above a limit."""
    calls = costs.calls.of(sizes)
    stayings = [s for s in costs.stayings(sizes) if costs.fits(costs.usage(sizes, (), s))]
    able = frozenset[int]().union(*stayings)
    accumulates, tiles = costs.problem.accumulators is not None, costs.calls.tiles(sizes)
    best: tuple[_Rank, _Choice] | None = None
    for order in itertools.permutations(costs.active(sizes)):
        moves = costs.moves(sizes, order)
        bound = _bound(costs, costs.least_of(moves, able), calls)
        if (limit is not None and bound > limit) or (best is not None and bound >= best[0]):
            continue
        for staying in stayings:
            rank = _rank(costs, costs.with_staying(moves, staying), calls, tiles, staying)
            if best is not None and rank >= best[0]:
                continue
            if not accumulates or costs.fits(costs.usage(sizes, order, staying)):
                best = (rank, (sizes, order, staying))
    return best


def _tiling(
    costs: TilingCosts, sizes: tuple[int, ...], order: tuple[int, ...], staying: frozenset[int]
) -> LoopTiling:
    moves = costs.with_staying(costs.moves(sizes, order), staying)
    cycles, count = costs.calls.of(sizes)
    return LoopTiling(
        sizes,
        order,
        staying,
        costs.total_cycles(moves, cycles, costs.calls.tiles(sizes), staying),
        tuple(moved for moved, _ in moves),
        count,
        tuple(sorted(costs.usage(sizes, order, staying).items())),
    )


def _rank(
    costs: TilingCosts,
    moves: Sequence[Moves],
    calls: tuple[int, int],
    tiles: int,
    staying: frozenset[int],
) -> _Rank:
    cycles, count = calls
    moved = sum([size for size, _ in moves])
    return costs.total_cycles(moves, cycles, tiles, staying), moved, count


def _bound(costs: TilingCosts, moves: Sequence[Moves], calls: tuple[int, int]) -> _Rank:
    """Return a rank without the ends, which no tiling with these moves is below."""
    cycles, count = calls
    return costs.least_cycles(moves, cycles), sum([size for size, _ in moves]), count
