"""Prices of a byte per pool and point in time, which bound the cost of every choice of pools.

The prices are the multipliers of a Lagrangian relaxation of the limits; subgradient ascent finds
them (Held, Wolfe, Crowder 1974).
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from forebay.planning.search.critical_points import UNLIMITED_BYTES, CriticalPoints, PoolLoads
from forebay.planning.search.items import CandidatePool

_ROUNDS = 2000
PATIENCE = 30


class Prices(Struct, frozen=True):
    """A price per pool and critical point, and the lower bound on the cost that they prove."""

    table: PoolLoads
    bound: float

    def of(self, points: CriticalPoints, item: int, candidate: CandidatePool) -> float:
        """Return the cost of a candidate pool plus the price of the item's bytes there."""
        span = self.table[candidate.pool, points.first[item] : points.last[item] + 1]
        return candidate.cost + candidate.size * float(span.sum())


def prices_of(points: CriticalPoints) -> Prices:
    """Return prices with a high bound.

    Each step aims at a value of `gap` above the best bound. The gap is halved when the bound has
    not improved for `PATIENCE` rounds.
    """
    options = _options(points)
    limited = points.limits < UNLIMITED_BYTES
    limits = np.where(limited, points.limits, 0.0)
    prices = best = np.zeros(limits.shape)
    best_bound, stale = -1.0, 0
    gap = sum(max(candidate.cost for candidate in item.candidates) for item in points.items.all) / 2
    for _ in range(_ROUNDS):
        bound, loads = options.answer(prices)
        bound -= float((prices * limits).sum())
        if bound > best_bound:
            best, best_bound, stale = prices, bound, 0
        else:
            stale += 1
        if stale > PATIENCE:
            gap, stale, prices = gap / 2, 0, best
            continue
        slope = np.where(limited, loads - limits, 0.0)
        slope[(prices <= 0) & (slope < 0)] = 0
        norm = float((slope**2).sum())
        if norm == 0 or gap < 0.5:
            break
        prices = np.maximum(0, prices + (best_bound + gap - bound) / norm * slope)
    return Prices(best, best_bound)


class _Options(Struct, frozen=True):
    """All pairs of an item and a candidate pool as arrays; `starts[i]` is item `i`'s first pair."""

    shape: tuple[int, int]
    starts: NDArray[np.int64]
    owner: NDArray[np.int64]
    pool: NDArray[np.int64]
    first: NDArray[np.int64]
    end: NDArray[np.int64]
    size: PoolLoads
    cost: PoolLoads

    def answer(self, prices: PoolLoads) -> tuple[float, PoolLoads]:
        """Choose the cheapest pool of each item; return the total cost and the bytes per point."""
        sums = np.concatenate([np.zeros((self.shape[0], 1)), prices.cumsum(axis=1)], axis=1)
        costs = self.cost + self.size * (sums[self.pool, self.end] - sums[self.pool, self.first])
        lowest = np.minimum.reduceat(costs, self.starts)
        ranked = np.lexsort((costs, self.owner))
        picked = ranked[self.starts]
        changes = np.zeros((self.shape[0], self.shape[1] + 1))
        np.add.at(changes, (self.pool[picked], self.first[picked]), self.size[picked])
        np.add.at(changes, (self.pool[picked], self.end[picked]), -self.size[picked])
        return float(lowest.sum()), changes[:, :-1].cumsum(axis=1)


def _options(points: CriticalPoints) -> _Options:
    rows = [
        (
            i,
            candidate.pool,
            max(points.first[i], 0),
            points.last[i] + 1,
            candidate.size,
            candidate.cost,
        )
        for i, item in enumerate(points.items.all)
        for candidate in item.candidates
    ]
    owner, pool, first, end, size, cost = np.array(rows, np.int64).T
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    shape = points.limits.shape
    return _Options(
        (shape[0], shape[1]),
        starts,
        owner,
        pool,
        first,
        end,
        size.astype(float),
        cost.astype(float),
    )
