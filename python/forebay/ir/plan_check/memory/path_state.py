"""Abstract values of memrefs, integers and tokens, and the join of program states."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from msgspec import Struct

from forebay.ir.plan_check.integers.numbers import LinearForm, Numbers, anything
from forebay.ir.plan_check.memory.in_flight import (
    InFlight,
    Ticket,
    join_in_flight,
    renamed,
)
from forebay.ir.plan_check.memory.references import Reference, References
from forebay.ir.plan_check.memory.shadow_memory import Mark

AbstractValue = References | LinearForm | Ticket | None
"""The abstract value of a memref, an integer or a token; None for other or unknown values."""

ShadowMarks = dict[int, Mark[ir.Location]]


class PathState(Struct, frozen=True):
    """The state on one path to a program point: memory, in-flight operations, passed-on values."""

    marks: ShadowMarks
    in_flight: InFlight
    values: Sequence[AbstractValue]

    def is_equivalent(self, other: PathState) -> bool:
        """Return whether both states are equivalent; the op that broke a buffer may differ."""
        return (
            self.values == other.values
            and self.in_flight == other.in_flight
            and (self.marks == other.marks or self._has_states_of(other))
        )

    def _has_states_of(self, other: PathState) -> bool:
        return self.marks.keys() == other.marks.keys() and all(
            mark.state == other.marks[n].state for n, mark in self.marks.items()
        )


def join(states: Sequence[PathState], numbers: Numbers, new_ticket: int) -> PathState:
    """Return the join of states: the worse state of memory, and the union of values.

    Tokens that differ get a common name, numbered from `new_ticket` on.
    """
    if len(states) == 1:
        return states[0]
    values = list(states[0].values)
    for state in states[1:]:
        values = [_either(one, two, numbers) for one, two in zip(values, state.values, strict=True)]
    names: list[list[tuple[Ticket, Ticket]]] = [[] for _ in states]
    for index in range(len(values)):
        tickets = [state.values[index] for state in states]
        if isinstance(tickets[0], int) and any(ticket != tickets[0] for ticket in tickets):
            values[index] = new_ticket + index
            for name, ticket in zip(names, tickets, strict=True):
                if isinstance(ticket, int):
                    name.append((ticket, new_ticket + index))
    marks = dict(states[0].marks)
    in_flight = renamed(states[0].in_flight, names[0])
    for state, name in zip(states[1:], names[1:], strict=True):
        in_flight = join_in_flight(in_flight, renamed(state.in_flight, name))
        for buffer, mark in state.marks.items():
            known = marks.get(buffer)
            if known is None or known.state < mark.state:
                marks[buffer] = mark
    return PathState(marks, in_flight, values)


def _either(one: AbstractValue, other: AbstractValue, numbers: Numbers) -> AbstractValue:
    if isinstance(one, LinearForm) and isinstance(other, LinearForm):
        return numbers.either(one, other)
    if isinstance(one, frozenset) and isinstance(other, frozenset):
        return one | other
    return one if one == other else None


def widen_integers(
    state: PathState, before: PathState, numbers: Numbers, *, is_late: bool
) -> PathState:
    """Return the state with integers as in any iteration so far (widening).

    If `is_late`, an integer that still changes may be anything. So the analysis of a loop with a
    counter takes a few rounds, independent of its number of iterations.
    """

    def of(now: AbstractValue, then: AbstractValue) -> AbstractValue:
        if not isinstance(now, LinearForm) or not isinstance(then, LinearForm):
            return now
        both = numbers.either(then, now)
        return anything() if is_late and both != then else both

    return PathState(state.marks, state.in_flight, list(map(of, state.values, before.values)))


def widen_references(state: PathState, before: PathState) -> PathState:
    """Return a state that includes `before`; references that still change may be anywhere.

    They may be anywhere in the same buffer.
    """

    def of(now: AbstractValue, then: AbstractValue) -> AbstractValue:
        if not isinstance(now, frozenset) or not isinstance(then, frozenset):
            return now
        return then | _anywhere(now - then)

    return PathState(state.marks, state.in_flight, list(map(of, state.values, before.values)))


def _anywhere(references: References) -> References:
    """Return references to the same buffers at unknown bytes."""
    unknown = anything()

    def of(reference: Reference) -> Reference:
        return reference._replace(
            begin=unknown,
            base=unknown,
            shape=(unknown,) * len(reference.shape),
            strides=(unknown,) * len(reference.strides),
        )

    return frozenset(map(of, references))
