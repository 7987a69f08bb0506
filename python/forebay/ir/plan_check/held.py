"""Abstract values of memrefs, integers and tokens, and the join of program states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlir import ir

from forebay.ir.plan_check.in_flight import (
    InFlight,
    Ticket,
    either,
    renamed,
)
from forebay.ir.plan_check.memory import Mark
from forebay.ir.plan_check.numbers import Form, Numbers, anything
from forebay.ir.plan_check.references import Reference, References

Held = References | Form | Ticket | None
"""The abstract value of a memref, an integer or a token; None for other or unknown values."""

Marks = dict[int, Mark[ir.Location]]


@dataclass(frozen=True)
class Way:
    """The state on one path to a program point: memory, in-flight operations, passed-on values."""

    marks: Marks
    in_flight: InFlight
    held: Sequence[Held]

    def is_like(self, other: Way) -> bool:
        """Return whether both states are equivalent; the op that did damage may differ."""
        return (
            self.held == other.held
            and self.in_flight == other.in_flight
            and self.marks.keys() == other.marks.keys()
            and all(mark.state == other.marks[n].state for n, mark in self.marks.items())
        )


def met(ways: Sequence[Way], numbers: Numbers, new_ticket: int) -> Way:
    """Return the join of states: the worse state of memory, and the union of values.

    Tokens that differ get a common name, numbered from `new_ticket` on.
    """
    if len(ways) == 1:
        return ways[0]
    held = list(ways[0].held)
    for way in ways[1:]:
        held = [_either(one, two, numbers) for one, two in zip(held, way.held, strict=True)]
    names: list[list[tuple[Ticket, Ticket]]] = [[] for _ in ways]
    for index in range(len(held)):
        tickets = [way.held[index] for way in ways]
        if isinstance(tickets[0], int) and any(ticket != tickets[0] for ticket in tickets):
            held[index] = new_ticket + index
            for name, ticket in zip(names, tickets, strict=True):
                if isinstance(ticket, int):
                    name.append((ticket, new_ticket + index))
    marks = dict(ways[0].marks)
    in_flight = renamed(ways[0].in_flight, names[0])
    for way, name in zip(ways[1:], names[1:], strict=True):
        in_flight = either(in_flight, renamed(way.in_flight, name))
        for buffer, mark in way.marks.items():
            known = marks.get(buffer)
            if known is None or known.state < mark.state:
                marks[buffer] = mark
    return Way(marks, in_flight, held)


def _either(one: Held, other: Held, numbers: Numbers) -> Held:
    if isinstance(one, Form) and isinstance(other, Form):
        return numbers.either(one, other)
    if isinstance(one, frozenset) and isinstance(other, frozenset):
        return one | other
    return one if one == other else None


def counted(way: Way, before: Way, numbers: Numbers, *, is_late: bool) -> Way:
    """Return the state with integers as in any iteration so far (widening).

    If `is_late`, an integer that still changes may be anything. So the analysis of a loop with a
    counter takes a few rounds, independent of its number of iterations.
    """

    def of(now: Held, then: Held) -> Held:
        if not isinstance(now, Form) or not isinstance(then, Form):
            return now
        both = numbers.either(then, now)
        return anything() if is_late and both != then else both

    return Way(way.marks, way.in_flight, list(map(of, way.held, before.held)))


def widened(way: Way, before: Way) -> Way:
    """Return a state that includes `before`; references that still change may be anywhere.

    They may be anywhere in the same buffer.
    """

    def of(now: Held, then: Held) -> Held:
        if not isinstance(now, frozenset) or not isinstance(then, frozenset):
            return now
        return then | _anywhere(now - then)

    return Way(way.marks, way.in_flight, list(map(of, way.held, before.held)))


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
