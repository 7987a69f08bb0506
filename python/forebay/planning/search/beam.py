"""A beam of states through the moments: who lives where, one birth after another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from forebay.planning.search.items import CandidatePool
from forebay.planning.search.moments import Moments
from forebay.planning.search.prices import Prices

RADIX = 16
"""At most this many candidate pools per item: a living choice is one number."""


@dataclass(frozen=True)
class BeamState:
    """Choices so far: bytes per pool now, cost, cost plus bound on the rest, who is alive where."""

    loads: tuple[int, ...]
    cost: int
    value: float
    alive: tuple[int, ...]
    history: tuple[tuple[int, CandidatePool], object] | None

    def rooms(self) -> dict[int, CandidatePool]:
        """The rooms that were chosen, by item."""
        chosen: dict[int, CandidatePool] = {}
        state = self.history
        while state is not None:
            (index, room), state = state  # type: ignore[misc]
            chosen[index] = room
        return chosen


@dataclass(frozen=True)
class Beam:
    """The best final state, if any, and the lowest value of a state that was left out."""

    best: BeamState | None
    dropped: float


def run_beam(moments: Moments, prices: Prices, free: set[int], floor: float, width: int) -> Beam:
    """Choose rooms for the free items under the limits; `floor`: value before the first choice."""
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
    """Every state with every room that still holds the newborn item."""
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
    """The state without the items that died before the moment."""
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
    """The states that keep the limits; bytes left unused cost their price."""
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
    """The best states, one per set of living choices, and the value of the best one dropped."""
    best: dict[tuple[int, ...], BeamState] = {}
    for state in states:
        other = best.get(state.alive)
        if other is None or state.value < other.value:
            best[state.alive] = state
    ranked = sorted(best.values(), key=lambda state: (state.value, state.alive))
    return ranked[:width], ranked[width].value if len(ranked) > width else float("inf")
