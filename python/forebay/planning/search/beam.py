"""Beam search over the critical points in time order; it chooses a pool for one item per step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from forebay.planning.search.items import CandidatePool
from forebay.planning.search.moments import Moments
from forebay.planning.search.prices import Prices

RADIX = 16
"""Maximum number of candidate pools per item; one number encodes an item and its pool."""


@dataclass(frozen=True)
class BeamState:
    """A partial choice of pools for the items that are allocated so far.

    `loads`: bytes in each pool at the current point. `cost`: cost of the choices.
    `value`: cost plus a lower bound on the cost of the remaining choices.
    `alive`: codes of the live items and their pools. `history`: linked list of all choices.
    """

    loads: tuple[int, ...]
    cost: int
    value: float
    alive: tuple[int, ...]
    history: tuple[tuple[int, CandidatePool], object] | None

    def rooms(self) -> dict[int, CandidatePool]:
        """Return the chosen candidate pool of each item, by item index."""
        chosen: dict[int, CandidatePool] = {}
        state = self.history
        while state is not None:
            (index, room), state = state  # type: ignore[misc]
            chosen[index] = room
        return chosen


@dataclass(frozen=True)
class Beam:
    """The best final state, or None, and the lowest value of a discarded state."""

    best: BeamState | None
    dropped: float


def run_beam(moments: Moments, prices: Prices, free: set[int], floor: float, width: int) -> Beam:
    """Choose candidate pools for the items in `free` so that all limits hold.

    `floor` is the value of the initial state; `width` is the number of states that are kept.
    """
    states = [BeamState((0,) * len(moments.limits), 0, floor, (), None)]
    dropped = float("inf")
    for moment, born in enumerate(moments.born):
        states = [_bury(moments, state, moment) for state in states]
        for index in born:
            if index in free:
                states, lost = _keep(_branch(moments, prices, states, index, moment), width)
                dropped = min(dropped, lost)
        states = _pass(moments, prices, states, moment)
    return Beam(min(states, key=lambda state: state.cost, default=None), dropped)


def _branch(
    moments: Moments, prices: Prices, states: Sequence[BeamState], index: int, moment: int
) -> list[BeamState]:
    """Return each state extended by each candidate pool that has space for the new item."""
    rooms = moments.items.all[index].rooms[:RADIX]
    values = [prices.of(moments, index, room) for room in rooms]
    limits: list[float] = moments.limits[:, moment].tolist()
    cheapest = min(values)
    born: list[BeamState] = []
    for state in states:
        for number, room in enumerate(rooms):
            load = state.loads[room.pool] + room.size
            if load > limits[room.pool]:
                continue
            born.append(
                BeamState(
                    (*state.loads[: room.pool], load, *state.loads[room.pool + 1 :]),
                    state.cost + room.cost,
                    state.value + values[number] - cheapest,
                    (*state.alive, index * RADIX + number),
                    ((index, room), state.history),
                )
            )
    return born


def _bury(moments: Moments, state: BeamState, moment: int) -> BeamState:
    """Return the state without the items whose lifetime ended before this point."""
    dead = [code for code in state.alive if moments.last[code // RADIX] < moment]
    if not dead:
        return state
    loads = list(state.loads)
    for code in dead:
        room = moments.items.all[code // RADIX].rooms[code % RADIX]
        loads[room.pool] -= room.size
    alive = tuple(code for code in state.alive if moments.last[code // RADIX] >= moment)
    return replace(state, loads=tuple(loads), alive=alive)


def _pass(
    moments: Moments, prices: Prices, states: Sequence[BeamState], moment: int
) -> list[BeamState]:
    """Return the states that satisfy the limits; unused bytes add their price to the value."""
    limits: list[float] = moments.limits[:, moment].tolist()
    cost: list[float] = prices.table[:, moment].tolist()
    passed: list[BeamState] = []
    for state in states:
        if any(load > limit for load, limit in zip(state.loads, limits, strict=True)):
            continue
        unused = sum(
            price * (limit - load)
            for price, limit, load in zip(cost, limits, state.loads, strict=True)
            if price
        )
        passed.append(replace(state, value=state.value + unused))
    return passed


def _keep(states: Sequence[BeamState], width: int) -> tuple[list[BeamState], float]:
    """Return the best states, one per set of live choices, and the best discarded value."""
    best: dict[tuple[int, ...], BeamState] = {}
    for state in states:
        other = best.get(state.alive)
        if other is None or state.value < other.value:
            best[state.alive] = state
    ranked = sorted(best.values(), key=lambda state: (state.value, state.alive))
    return ranked[:width], ranked[width].value if len(ranked) > width else float("inf")
