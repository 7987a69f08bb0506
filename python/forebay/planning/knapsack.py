"""Which pool each item should live in, if only bytes counted and not where they lie.

The time-indexed knapsack: choose a room per item so that at every moment the live bytes of each
limited pool fit its limit, at the lowest cost. It relaxes planning, so its value bounds the cost
of every plan. Solved over time by a beam of states (the choices of the items that are alive),
ranked by their cost so far plus a Lagrangian bound on the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, gcd

import numpy as np
from numpy.typing import NDArray

from forebay.planning.items import Item, Items, Room
from forebay.planning.sections import sections
from forebay.planning.stack import whole_stack

PRICE_ROUNDS = 2000
Prices = NDArray[np.float64]


@dataclass(frozen=True)
class Choice:
    """A room per item, its cost, and a proved bound on the cost of any choice."""

    rooms: tuple[Room, ...]
    cost: int
    bound: int


@dataclass(frozen=True)
class Moments:
    """The sections of a problem in order of time, with the items that are born and die."""

    first: Sequence[int]
    last: Sequence[int]
    born: Sequence[Sequence[int]]


@dataclass(frozen=True)
class _State:
    """Choices so far: bytes per pool now, cost, cost plus bound on the rest, the last choice."""

    loads: tuple[int, ...]
    cost: int
    value: float
    alive: tuple[int, ...]
    history: tuple[int, object] | None


def choose(
    items: Items, limits: Mapping[int, int], width: int, incumbent: int | None = None
) -> Choice | None:
    """The cheapest choice that a beam of `width` states finds; None if it finds none.

    `limits`: bytes per limited pool, by the pool's number. `incumbent`: cost of a known plan.
    Needs a linear problem.
    """
    items = _without_hopeless_rooms(items, limits)
    moments = _moments(items, limits)
    prices, floor = _prices(items, limits, moments, incumbent)
    states = [_State((0,) * len(items.problem.pools), 0, floor, (), None)]
    dropped = float("inf")
    for moment, born in enumerate(moments.born):
        states = [_bury(items, moments, state, moment) for state in states]
        for index in born:
            states = _branch(items, limits, moments, prices, states, index)
            states, lost = _keep(states, width)
            dropped = min(dropped, lost)
        states = [_pass(limits, prices, state, moment) for state in states]
    if not states:
        return None
    best = min(states, key=lambda state: state.cost)
    grain = gcd(*(room.cost for item in items.all for room in item.rooms)) or 1
    bound = max(floor, min(dropped, best.cost))
    bound = ceil(bound / grain - 1e-6) * grain
    rooms = _rooms(items, moments, best)
    cost = sum(room.cost for room in rooms)
    return Choice(rooms, cost, min(bound, cost))


def _without_hopeless_rooms(items: Items, limits: Mapping[int, int]) -> Items:
    """The items without the pools that are too small for them alone."""
    kept: list[Item] = []
    for item in items.all:
        rooms = tuple(r for r in item.rooms if r.size <= limits.get(r.pool, r.size))
        kept.append(replace(item, rooms=rooms or item.rooms))
    return replace(items, all=tuple(kept))


def _moments(items: Items, limits: Mapping[int, int]) -> Moments:
    """Only the moments at which a limited pool could overflow decide anything."""
    cliques = [
        clique
        for clique in sections(whole_stack(items))
        if any(_load(items, clique, pool) > limit for pool, limit in limits.items())
    ]
    first, last = [-1] * len(items.all), [-1] * len(items.all)
    for moment, clique in enumerate(cliques):
        for index in clique:
            first[index] = moment if first[index] < 0 else first[index]
            last[index] = moment
    born: list[list[int]] = [[] for _ in cliques]
    for index in sorted(range(len(first)), key=lambda i: (first[i], -items.all[i].size, i)):
        if first[index] >= 0:
            born[first[index]].append(index)
    return Moments(first, last, born)


def _load(items: Items, clique: Sequence[int], pool: int) -> int:
    """Bytes in the pool if everything of a clique that may live there does."""
    return sum(room.size for i in clique for room in items.all[i].rooms if room.pool == pool)


def _prices(
    items: Items, limits: Mapping[int, int], moments: Moments, incumbent: int | None
) -> tuple[Prices, float]:
    """Prices of a byte per moment and pool by subgradient ascent, and the bound they prove.

    Steps aim `gap` above the best bound; the gap halves when they stop helping.
    """
    options = _options(items, moments)
    shape = (len(items.problem.pools), len(moments.born))
    room_for = np.array([limits.get(pool, 0) for pool in range(shape[0])], float)[:, None]
    limited = np.array([pool in limits for pool in range(shape[0])])[:, None]
    prices = best = np.zeros(shape)
    best_bound, stale = -1.0, 0
    most = sum(max(room.cost for room in item.rooms) for item in items.all)
    gap = float(most if incumbent is None else incumbent) / 2
    for _ in range(PRICE_ROUNDS):
        bound, loads = options.answer(prices)
        bound -= float((prices * room_for).sum())
        if bound > best_bound:
            best, best_bound, stale = prices, bound, 0
        else:
            stale += 1
        if stale > 30:
            gap, stale, prices = gap / 2, 0, best
            continue
        slope = np.where(limited, loads - room_for, 0.0)
        slope[(prices <= 0) & (slope < 0)] = 0
        norm = float((slope**2).sum())
        if norm == 0 or gap < 0.5:
            break
        prices = np.maximum(0, prices + (best_bound + gap - bound) / norm * slope)
    return best, best_bound


@dataclass(frozen=True)
class _Options:
    """Every (item, room) pair as arrays; `starts` says where the pairs of each item begin."""

    shape: tuple[int, int]
    starts: NDArray[np.int64]
    owner: NDArray[np.int64]
    pool: NDArray[np.int64]
    first: NDArray[np.int64]
    end: NDArray[np.int64]
    size: Prices
    cost: Prices

    def answer(self, prices: Prices) -> tuple[float, Prices]:
        """Cheapest room for each item at these prices: total cost, and bytes per moment."""
        sums = np.concatenate([np.zeros((self.shape[0], 1)), prices.cumsum(axis=1)], axis=1)
        costs = self.cost + self.size * (sums[self.pool, self.end] - sums[self.pool, self.first])
        lowest = np.minimum.reduceat(costs, self.starts)
        ranked = np.lexsort((costs, self.owner))
        picked = ranked[self.starts]
        changes = np.zeros((self.shape[0], self.shape[1] + 1))
        np.add.at(changes, (self.pool[picked], self.first[picked]), self.size[picked])
        np.add.at(changes, (self.pool[picked], self.end[picked]), -self.size[picked])
        return float(lowest.sum()), changes[:, :-1].cumsum(axis=1)


def _options(items: Items, moments: Moments) -> _Options:
    rows = [
        (i, room.pool, max(moments.first[i], 0), moments.last[i] + 1, room.size, room.cost)
        for i, item in enumerate(items.all)
        for room in item.rooms
    ]
    owner, pool, first, end, size, cost = np.array(rows, np.int64).T
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    shape = (len(items.problem.pools), len(moments.born))
    return _Options(shape, starts, owner, pool, first, end, size.astype(float), cost.astype(float))


def _price(prices: Prices, moments: Moments, item: int, room: Room) -> float:
    span = prices[room.pool, moments.first[item] : moments.last[item] + 1]
    return room.cost + room.size * float(span.sum())


def _branch(
    items: Items,
    limits: Mapping[int, int],
    moments: Moments,
    prices: Prices,
    states: Sequence[_State],
    index: int,
) -> list[_State]:
    """Every state with every room that still holds the newborn item."""
    rooms = items.all[index].rooms
    values = [_price(prices, moments, index, room) for room in rooms]
    cheapest = min(values)
    born: list[_State] = []
    for state in states:
        for number, room in enumerate(rooms):
            load = state.loads[room.pool] + room.size
            if load > limits.get(room.pool, load):
                continue
            loads = (*state.loads[: room.pool], load, *state.loads[room.pool + 1 :])
            value = state.value + values[number] - cheapest
            alive = (*state.alive, index * 8 + number)
            born.append(
                _State(loads, state.cost + room.cost, value, alive, (number, state.history))
            )
    return born


def _bury(items: Items, moments: Moments, state: _State, moment: int) -> _State:
    dead = [code for code in state.alive if moments.last[code // 8] < moment]
    if not dead:
        return state
    loads = list(state.loads)
    for code in dead:
        room = items.all[code // 8].rooms[code % 8]
        loads[room.pool] -= room.size
    alive = tuple(code for code in state.alive if moments.last[code // 8] >= moment)
    return _State(tuple(loads), state.cost, state.value, alive, state.history)


def _pass(
    limits: Mapping[int, int], prices: Prices, state: _State, moment: int
) -> _State:
    """Bytes left unused at a moment cost their price."""
    unused = sum(
        float(prices[pool, moment]) * (limit - state.loads[pool])
        for pool, limit in limits.items()
    )
    return _State(state.loads, state.cost, state.value + unused, state.alive, state.history)


def _keep(states: Sequence[_State], width: int) -> tuple[list[_State], float]:
    """The best states, one per set of living choices, and the value of the best one dropped."""
    best: dict[tuple[int, ...], _State] = {}
    for state in states:
        other = best.get(state.alive)
        if other is None or state.value < other.value:
            best[state.alive] = state
    ranked = sorted(best.values(), key=lambda state: (state.value, state.alive))
    return ranked[:width], ranked[width].value if len(ranked) > width else float("inf")


def _rooms(items: Items, moments: Moments, state: _State) -> tuple[Room, ...]:
    order = [index for born in moments.born for index in born]
    rooms = [min(item.rooms, key=lambda room: room.cost) for item in items.all]
    history: object = state.history
    for index in reversed(order):
        if not isinstance(history, tuple):
            raise TypeError("the history is shorter than the items")
        number, history = history  # type: ignore[misc]
        rooms[index] = items.all[index].rooms[number]
    return tuple(rooms)
