"""Local search on the choice of pools by threshold accepting (Dueck & Scheuer 1990).

Each step moves one item to its cheapest pool, moves other items out of that pool until the limits
hold, and then moves items back to their cheapest pools if they fit. The number of rounds is limited
and the random numbers are the same in every run.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
from numpy.typing import NDArray

from forebay.planning.search.critical_points import CriticalPoints
from forebay.planning.search.items import CandidatePool

START = 0.01
"""Initial share of the cost by which a step may raise the cost; it falls linearly to 0."""


def improve(
    points: CriticalPoints, candidates: Sequence[CandidatePool], rounds: int
) -> list[CandidatePool]:
    """Return the cheapest choice found in `rounds` steps; `candidates` must satisfy the limits."""
    search = _Swaps(points, candidates)
    for done in range(rounds):
        search.step(START * (1 - done / rounds))
    return search.best


class _Swaps:
    def __init__(self, points: CriticalPoints, candidates: Sequence[CandidatePool]) -> None:
        self.points = points
        self.candidates = list(candidates)
        self.best = list(candidates)
        self.cost = self.best_cost = sum(candidate.cost for candidate in candidates)
        self.loads = points.loads(candidates, range(len(candidates)))
        self.random = Random(1)
        self.critical = [i for started in points.started for i in started]
        self.number = {index: number for number, index in enumerate(self.critical)}
        self.pools = np.array([candidates[i].pool for i in self.critical])
        self.sizes = np.array([candidates[i].size for i in self.critical], dtype=np.float64)
        self.first = np.array([points.first[i] for i in self.critical], dtype=np.intp)
        self.last = np.array([points.last[i] for i in self.critical], dtype=np.intp)
        self.cheapest = [min(i.candidates, key=lambda r: r.cost) for i in points.items.all]

    def step(self, threshold: float) -> None:
        """Do one step; undo it if a limit is exceeded or the cost rises above the threshold."""
        away = [i for i in self.critical if self.candidates[i].cost > self.cheapest[i].cost]
        if not away:
            return
        before, cost = list(self.candidates), self.cost
        moved = self.random.choice(away)
        self._move(moved, self.cheapest[moved])
        if self._make_room(moved):
            self._refill()
        if self._overloaded() or self.cost > cost + threshold * cost:
            for index, candidate in enumerate(before):
                if candidate is not self.candidates[index]:
                    self._move(index, candidate)
        elif self.cost < self.best_cost:
            self.best, self.best_cost = list(self.candidates), self.cost

    def _span(self, index: int) -> slice:
        return slice(self.points.first[index], self.points.last[index] + 1)

    def _move(self, index: int, candidate: CandidatePool) -> None:
        old, span = self.candidates[index], self._span(index)
        self.loads[old.pool, span] -= old.size
        self.loads[candidate.pool, span] += candidate.size
        self.cost += candidate.cost - old.cost
        self.candidates[index], number = candidate, self.number[index]
        self.pools[number], self.sizes[number] = candidate.pool, candidate.size

    def _fits(self, index: int, candidate: CandidatePool) -> bool:
        span = self._span(index)
        limit = self.points.limits[candidate.pool, span]
        return bool((self.loads[candidate.pool, span] + candidate.size <= limit).all())

    def _overloaded(self) -> bool:
        return bool((self.loads > self.points.limits).any())

    def _make_room(self, moved: int) -> bool:
        """Move items out of the pool of `moved` until its limits hold; return whether they do.

        Items that remove the most excess bytes for the least cost are moved first.
        """
        pool, span = self.candidates[moved].pool, self._span(moved)
        while True:
            excess = self.loads[pool] - self.points.limits[pool]
            excess[: span.start] = 0
            excess[span.stop :] = 0
            np.maximum(excess, 0, out=excess)
            if not excess.any():
                return True
            choice = self._cheapest_move(pool, moved, excess)
            if choice is None:
                return False
            self._move(*choice)

    def _cheapest_move(
        self, pool: int, moved: int, excess: NDArray[np.float64]
    ) -> tuple[int, CandidatePool] | None:
        """Return the item to move out of a pool, and its new pool; None if none can be moved.

        `excess` are the bytes above the limit at each point. The price of a move is its cost per
        byte of these, times a random factor from 0.7 to 1.3.
        """
        (points,) = excess.nonzero()
        low, high = points[0], points[-1] + 1
        (numbers,) = ((self.first < high) & (self.last >= low) & (self.pools == pool)).nonzero()
        first, last, columns = self.first[numbers], self.last[numbers], np.arange(low, high)
        is_live = (first[:, None] <= columns) & (last[:, None] >= columns)
        freed = np.minimum(excess[low:high], self.sizes[numbers, None]).sum(axis=1, where=is_live)
        room = self._room(numbers)
        choice: tuple[float, int, CandidatePool] | None = None
        for position, number in enumerate(numbers.tolist()):
            index = self.critical[number]
            if index == moved or not freed[position]:
                continue
            for candidate in self.points.items.all[index].candidates:
                if candidate.pool != pool and candidate.size <= room[candidate.pool, position]:
                    price = (candidate.cost - self.candidates[index].cost) / float(freed[position])
                    price *= 0.7 + 0.6 * self.random.random()
                    if choice is None or price < choice[0]:
                        choice = price, index, candidate
        return None if choice is None else choice[1:]

    def _room(self, numbers: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the bytes that are free in each pool while each of these items is live.

        The shape is (pools, items).
        """
        free = self.points.limits - self.loads
        ends = np.stack((self.first[numbers], self.last[numbers] + 1), axis=1).reshape(-1)
        padded = np.pad(free, ((0, 0), (0, 1)))  # so that each end is an index
        return np.minimum.reduceat(padded, ends, axis=1)[:, ::2]

    def _refill(self) -> None:
        """Move items to their cheapest pool if they fit; the largest saving comes first."""
        gains = [(self.cheapest[i].cost - self.candidates[i].cost, i) for i in self.critical]
        for gain, index in sorted(gains):
            if gain < 0 and self._fits(index, self.cheapest[index]):
                self._move(index, self.cheapest[index])
