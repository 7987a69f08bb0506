"""What was started and not waited for: operations that may still read or write their bytes.

A token is a number here, its ticket. Of each operation the tickets are known whose end is not
before its own: its own one, those of operations behind it, and those that stand for one of these
on each way to here. A wait for one of them ends it. An operation that no wait has ended on one of
two ways may be in flight where they meet::

    %t = start f        f: {t}
    scf.if { wait %t }  f: gone on one way, {t} on the other    -> f: {t}
    %r = scf.if -> token                                        f: {t, r} and g: {u, r}
        { yield %t }  else { %u = start g ; yield %u }          from different ways; a wait for
    wait %r                                                     %r ends whichever it is
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from mlir import ir

from forebay.ir.plan_check.references import OVER, PREVIOUS, Reference

Ticket = int | str
"""A number of an operation, or the name of a queue: of whatever comes next in it."""

Key = tuple[ir.OpView, int]
"""The op and which run of it; PREVIOUS of the iteration before, OVER for all of earlier ones."""

Forget = Callable[[Reference], Reference]


class Claim(NamedTuple):
    """Bytes that an operation reads or writes until it ends."""

    reference: Reference
    writes: bool


class Operation(NamedTuple):
    """One that may be in flight, and the tickets whose end is not before its own."""

    claims: frozenset[Claim]
    ends_by: frozenset[Ticket]


InFlight = Mapping[Key, Operation]
"""All that may be in flight at a point of the program; never changed in place."""


def start(
    state: InFlight, key: Key, claims: Iterable[Claim], queue: str, after: Iterable[Ticket]
) -> InFlight:
    """Another one, behind all of its queue and behind `after`."""
    before = frozenset((queue, *after))
    own = frozenset((key[1], queue))
    behind = {
        other: Operation(known.claims, known.ends_by | own) if known.ends_by & before else known
        for other, known in state.items()
    }
    return {**behind, key: Operation(frozenset(claims), own)}


def beside(state: InFlight, queue: str, after: Iterable[Ticket]) -> InFlight:
    """Return those that may run at the time of one that is started: all but what it is behind."""
    before = frozenset((queue, *after))
    return {key: known for key, known in state.items() if not known.ends_by & before}


def wait(state: InFlight, tickets: Iterable[Ticket]) -> InFlight:
    """Return those that may be in flight behind a wait."""
    waited = frozenset(tickets)
    return {key: known for key, known in state.items() if not known.ends_by & waited}


def renamed(
    state: InFlight, names: Sequence[tuple[Ticket, Ticket]], youngest: float = math.inf
) -> InFlight:
    """Return what is left of tickets where others are known by new names.

    Each pair is an old ticket and its new name. Tickets from number `youngest` on are gone.
    """

    def of(ends_by: frozenset[Ticket]) -> frozenset[Ticket]:
        kept = {t for t in ends_by if isinstance(t, str) or t < youngest}
        return frozenset(kept | {new for old, new in names if old in ends_by})

    return {key: Operation(known.claims, of(known.ends_by)) for key, known in state.items()}


def either(one: InFlight, other: InFlight) -> InFlight:
    """Return what holds if the program came here on this way or on that."""
    met = dict(one)
    for key, known in other.items():
        met[key] = known if key not in met else _both(met[key], known)
    return met


def grown_old(state: InFlight, run: int, forget: Forget, before: Forget) -> InFlight:
    """Return the same in the next iteration: the runs from number `run` on are of the one before.

    `before` says of their bytes where these are as the next iteration counts, `forget` of those
    that are older what is left to say.
    """
    aged: dict[Key, Operation] = {}
    for (op, number), known in state.items():
        is_new = number >= run
        age = PREVIOUS if is_new else OVER if number == PREVIOUS else number
        of = before if is_new else forget
        claims = frozenset(claim._replace(reference=of(claim.reference)) for claim in known.claims)
        key, operation = (op, age), Operation(claims, known.ends_by)
        aged[key] = operation if key not in aged else _both(aged[key], operation)
    return aged


def _both(one: Operation, other: Operation) -> Operation:
    return Operation(one.claims | other.claims, one.ends_by & other.ends_by)
