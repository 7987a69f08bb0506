"""Local search on the choice of pools by threshold accepting (Dueck & Scheuer 1990).

Each step moves one item to its cheapest pool, moves other items out of that pool until the limits
hold, and then moves items back to their cheapest pools if they fit. The number of rounds is limited
and the random numbers are the same in every run.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np

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
        self.candidates[index] = candidate

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
            choice: tuple[float, int, CandidatePool] | None = None
            for index in self.critical:
                if self.candidates[index].pool != pool or index == moved:
                    continue
                freed = float(
                    np.minimum(excess[self._span(index)], self.candidates[index].size).sum()
                )
                if not freed:
                    continue
                for candidate in self.points.items.all[index].candidates:
                    if candidate.pool != pool and self._fits(index, candidate):
                        price = (candidate.cost - self.candidates[index].cost) / freed
                        price *= 0.7 + 0.6 * self.random.random()
                        if choice is None or price < choice[0]:
                            choice = price, index, candidate
            if choice is None:
                return False
            self._move(choice[1], choice[2])

    def _refill(self) -> None:
        """Move items to their cheapest pool if they fit; the largest saving comes first."""
        gains = [(self.cheapest[i].cost - self.candidates[i].cost, i) for i in self.critical]
        for gain, index in sorted(gains):
            if gain < 0 and self._fits(index, self.cheapest[index]):
                self._move(index, self.cheapest[index])
