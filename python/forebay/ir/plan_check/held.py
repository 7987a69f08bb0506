"""What values lead to, and what is known of it where two ways of the program meet."""

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
"""Of a memref, an integer and a token; None of any other value, and where nobody knows."""

Marks = dict[int, Mark[ir.Location]]


@dataclass(frozen=True)
class Way:
    """One way to a point of the program: memory, what is in flight, and values handed on."""

    marks: Marks
    in_flight: InFlight
    held: Sequence[Held]

    def is_like(self, other: Way) -> bool:
        """Return whether whatever follows is the same; which op did damage is not asked."""
        return (
            self.held == other.held
            and self.in_flight == other.in_flight
            and self.marks.keys() == other.marks.keys()
            and all(mark.state == other.marks[n].state for n, mark in self.marks.items())
        )


def met(ways: Sequence[Way], numbers: Numbers, new_ticket: int) -> Way:
    """Return what holds where ways meet: of memory the worse, of values any.

    Tokens that differ get one name, numbered from `new_ticket` on.
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
    """Integers as they are in any of the iterations so far; late, what still changes is anything.

    So a loop that counts is understood in a few rounds, not in as many as it has.
    """

    def of(now: Held, then: Held) -> Held:
        if not isinstance(now, Form) or not isinstance(then, Form):
            return now
        both = numbers.either(then, now)
        return anything() if is_late and both != then else both

    return Way(way.marks, way.in_flight, list(map(of, way.held, before.held)))


def widened(way: Way, before: Way) -> Way:
    """A way that holds `before` as well, where what still moves in its buffer is anywhere in it."""

    def of(now: Held, then: Held) -> Held:
        if not isinstance(now, frozenset) or not isinstance(then, frozenset):
            return now
        return then | _anywhere(now - then)

    return Way(way.marks, way.in_flight, list(map(of, way.held, before.held)))


def _anywhere(references: References) -> References:
    """Return the same buffers, at no known byte."""
    unknown = anything()

    def of(reference: Reference) -> Reference:
        return reference._replace(
            begin=unknown,
            base=unknown,
            shape=(unknown,) * len(reference.shape),
            strides=(unknown,) * len(reference.strides),
        )

    return frozenset(map(of, references))
