"""Beam search over the critical points in time order; it chooses a pool for one item per step."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from forebay.planning.search.critical_points import CriticalPoints
from forebay.planning.search.items import CandidatePool
from forebay.planning.search.prices import Prices

RADIX = 16
"""Maximum number of candidate pools per item; one number encodes an item and its pool."""


class BeamState(Struct, frozen=True):
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

    def candidates(self) -> dict[int, CandidatePool]:
        """Return the chosen candidate pool of each item, by item index."""
        chosen: dict[int, CandidatePool] = {}
        state = self.history
        while state is not None:
            (index, candidate), state = state  # type: ignore[misc]
            chosen[index] = candidate
        return chosen


class Beam(Struct, frozen=True):
    """The best final state, or None, and the lowest value of a discarded state."""

    best: BeamState | None
    dropped: float


def run_beam(
    points: CriticalPoints, prices: Prices, free: set[int], floor: float, width: int
) -> Beam:
    """Choose candidate pools for the items in `free` so that all limits hold.

    `floor` is the value of the initial state; `width` is the number of states that are kept.
    """
    states = [BeamState((0,) * len(points.limits), 0, floor, (), None)]
    dropped = float("inf")
    for point, started in enumerate(points.started):
        states = [_drop_ended(points, state, point) for state in states]
        for index in started:
            if index in free:
                states, lost = _keep(_branch(points, prices, states, index, point), width)
                dropped = min(dropped, lost)
        states = _pass(points, prices, states, point)
    return Beam(min(states, key=lambda state: state.cost, default=None), dropped)


def _branch(
    points: CriticalPoints, prices: Prices, states: Sequence[BeamState], index: int, point: int
) -> list[BeamState]:
    """Return each state extended by each candidate pool that has space for the new item."""
    candidates = points.items.all[index].candidates[:RADIX]
    values = [prices.of(points, index, candidate) for candidate in candidates]
    limits: list[float] = points.limits[:, point].tolist()
    cheapest = min(values)
    started: list[BeamState] = []
    for state in states:
        for number, candidate in enumerate(candidates):
            load = state.loads[candidate.pool] + candidate.size
            if load > limits[candidate.pool]:
                continue
            started.append(
                BeamState(
                    (*state.loads[: candidate.pool], load, *state.loads[candidate.pool + 1 :]),
                    state.cost + candidate.cost,
                    state.value + values[number] - cheapest,
                    (*state.alive, index * RADIX + number),
                    ((index, candidate), state.history),
                )
            )
    return started


def _drop_ended(points: CriticalPoints, state: BeamState, point: int) -> BeamState:
    """Return the state without the items whose lifetime ended before this point."""
    dead = [code for code in state.alive if points.last[code // RADIX] < point]
    if not dead:
        return state
    loads = list(state.loads)
    for code in dead:
        candidate = points.items.all[code // RADIX].candidates[code % RADIX]
        loads[candidate.pool] -= candidate.size
    alive = tuple(code for code in state.alive if points.last[code // RADIX] >= point)
    return replace(state, loads=tuple(loads), alive=alive)


def _pass(
    points: CriticalPoints, prices: Prices, states: Sequence[BeamState], point: int
) -> list[BeamState]:
    """Return the states that satisfy the limits; unused bytes add their price to the value."""
    limits: list[float] = points.limits[:, point].tolist()
    cost: list[float] = prices.table[:, point].tolist()
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
