"""Iterations of a loop on abstract states, until one begins like an earlier one."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from forebay.ir.plan_check.integers.numbers import LinearForm, Numbers
from forebay.ir.plan_check.memory.in_flight import next_iteration, renamed
from forebay.ir.plan_check.memory.path_state import (
    AbstractValue,
    PathState,
    join,
    widen_integers,
    widen_references,
)
from forebay.ir.plan_check.memory.references import Reference

_ROUNDS = 6
"""Iterations of a loop that are run one by one; states that still change after them are joined.

Two buffers that a loop swaps need three, three buffers that it rotates need four.
"""


class LoopRun(NamedTuple):
    """A loop: `once(n)` runs iteration n and returns the values that it passes to the next one.

    `counter` is the unknown that counts earlier iterations, if the distance between iterations
    matters. `unknowns` is the number of the first unknown that each iteration creates again. `most`
    is the largest number of iterations.
    """

    once: Callable[[int], list[AbstractValue]]
    unknowns: int
    counter: int | None
    most: float


class CarriedTickets(NamedTuple):
    """The ticket of each carried value that is a token; it is the same in all iterations.

    Instances from `youngest` on are those of the loop.
    """

    tickets: Sequence[int | None]
    youngest: int


def iteration_heads(
    initial: PathState,
    carried: CarriedTickets,
    loop: LoopRun,
    run: Callable[[PathState, int], PathState],
    numbers: Numbers,
) -> list[PathState]:
    """Return the state before each iteration; `run` runs one and returns the state at its end.

    The state at the beginning of each iteration says which operations a carried ticket ends. In a
    loop with a counter, the first iteration differs from the others, because those have an
    iteration before them.
    """
    tickets, youngest = carried
    heads = [_named(initial, tickets)]
    while len(heads) <= loop.most:
        head = heads[-1]
        handed = run(head, len(heads) - 1)
        state = _next_head(_named(handed, tickets, youngest), youngest, loop, numbers)
        state = widen_integers(state, head, numbers, is_late=len(heads) > 2)
        if len(heads) > _ROUNDS:
            state = widen_references(join([head, state], numbers, 0), head)
        known = heads if loop.counter is None else heads[1:]
        is_known = any(state.is_equivalent(one) for one in known)
        heads.append(state)
        if is_known:
            break
    return heads


def _next_head(state: PathState, youngest: int, loop: LoopRun, numbers: Numbers) -> PathState:
    """Return the state for the next iteration: instances of this one become old."""
    unknowns, counter = loop.unknowns, loop.counter

    def of(values: AbstractValue) -> AbstractValue:
        if isinstance(values, LinearForm):
            return numbers.forget(values, unknowns)
        if isinstance(values, frozenset):
            return frozenset(r.next_iteration(youngest, unknowns, numbers) for r in values)
        return values

    def forget(reference: Reference) -> Reference:
        return reference.forgotten(unknowns, numbers)

    def before(reference: Reference) -> Reference:
        if counter is None:
            return forget(reference)
        return reference.forgotten(unknowns, numbers, counter).shifted(counter, -1)

    in_flight = next_iteration(state.in_flight, youngest, forget, before)
    return PathState(state.marks, in_flight, list(map(of, state.values)))


def _named(
    state: PathState, tickets: Sequence[int | None], youngest: float = math.inf
) -> PathState:
    """Return the state at the beginning of an iteration, with these tickets for its tokens."""
    pairs = list(zip(state.values, tickets, strict=True))
    names = [(old, new) for old, new in pairs if new is not None and isinstance(old, int)]
    values = [old if new is None else new for old, new in pairs]
    return PathState(state.marks, renamed(state.in_flight, names, youngest), values)
