"""Local search on the choice of pools by threshold accepting (Dueck & Scheuer 1990).

Each step moves one item to its cheapest pool, moves other items out of that pool until the limits
hold, and then moves items back to their cheapest pools if they fit. The number of rounds is limited
and the random numbers are the same in every run.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np

from forebay.planning.search.items import CandidatePool
from forebay.planning.search.moments import Moments

START = 0.01
"""Initial share of the cost by which a step may raise the cost; it falls linearly to 0."""


def improve(moments: Moments, rooms: Sequence[CandidatePool], rounds: int) -> list[CandidatePool]:
    """Return the cheapest choice found in `rounds` steps; `rooms` must satisfy the limits."""
    search = _Swaps(moments, rooms)
    for done in range(rounds):
        search.step(START * (1 - done / rounds))
    return search.best


class _Swaps:
    def __init__(self, moments: Moments, rooms: Sequence[CandidatePool]) -> None:
        self.moments = moments
        self.rooms = list(rooms)
        self.best = list(rooms)
        self.cost = self.best_cost = sum(room.cost for room in rooms)
        self.loads = moments.loads(rooms, range(len(rooms)))
        self.random = Random(1)
        self.critical = [i for born in moments.born for i in born]
        self.cheapest = [min(i.rooms, key=lambda r: r.cost) for i in moments.items.all]

    def step(self, threshold: float) -> None:
        """Do one step; undo it if a limit is exceeded or the cost rises above the threshold."""
        away = [i for i in self.critical if self.rooms[i].cost > self.cheapest[i].cost]
        if not away:
            return
        before, cost = list(self.rooms), self.cost
        guest = self.random.choice(away)
        self._move(guest, self.cheapest[guest])
        if self._make_room(guest):
            self._refill()
        if self._overloaded() or self.cost > cost + threshold * cost:
            for index, room in enumerate(before):
                if room is not self.rooms[index]:
                    self._move(index, room)
        elif self.cost < self.best_cost:
            self.best, self.best_cost = list(self.rooms), self.cost

    def _span(self, index: int) -> slice:
        return slice(self.moments.first[index], self.moments.last[index] + 1)

    def _move(self, index: int, room: CandidatePool) -> None:
        old, span = self.rooms[index], self._span(index)
        self.loads[old.pool, span] -= old.size
        self.loads[room.pool, span] += room.size
        self.cost += room.cost - old.cost
        self.rooms[index] = room

    def _fits(self, index: int, room: CandidatePool) -> bool:
        span = self._span(index)
        limit = self.moments.limits[room.pool, span]
        return bool((self.loads[room.pool, span] + room.size <= limit).all())

    def _overloaded(self) -> bool:
        return bool((self.loads > self.moments.limits).any())

    def _make_room(self, guest: int) -> bool:
        """Move items out of the pool of `guest` until its limits hold; return whether they do.

        Items that remove the most excess bytes for the least cost are moved first.
        """
        pool, span = self.rooms[guest].pool, self._span(guest)
        while True:
            excess = self.loads[pool] - self.moments.limits[pool]
            excess[: span.start] = 0
            excess[span.stop :] = 0
            np.maximum(excess, 0, out=excess)
            if not excess.any():
                return True
            choice: tuple[float, int, CandidatePool] | None = None
            for index in self.critical:
                if self.rooms[index].pool != pool or index == guest:
                    continue
                freed = float(np.minimum(excess[self._span(index)], self.rooms[index].size).sum())
                if not freed:
                    continue
                for room in self.moments.items.all[index].rooms:
                    if room.pool != pool and self._fits(index, room):
                        price = (room.cost - self.rooms[index].cost) / freed
                        price *= 0.7 + 0.6 * self.random.random()
                        if choice is None or price < choice[0]:
                            choice = price, index, room
            if choice is None:
                return False
            self._move(choice[1], choice[2])

    def _refill(self) -> None:
        """Move items to their cheapest pool if they fit; the largest saving comes first."""
        gains = [(self.cheapest[i].cost - self.rooms[i].cost, i) for i in self.critical]
        for gain, index in sorted(gains):
            if gain < 0 and self._fits(index, self.cheapest[index]):
                self._move(index, self.cheapest[index])
