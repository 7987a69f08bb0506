"""In-flight operations: those that were started and may still read or write their bytes.

A token is a number here, its ticket. For each operation, the state has the tickets whose end is not
before the operation's own end: its own ticket, those of operations ordered after it, and those that
stand for one of these on each path to this point. A wait for one of these tickets ends the
operation. An operation that a wait has ended on only one of two paths may be in flight at their
join::

    %t = start f        f: {t}
    scf.if { wait %t }  f: ended on one path, {t} on the other  -> f: {t}
    %r = scf.if -> token                                        f: {t, r} and g: {u, r}
        { yield %t }  else { %u = start g ; yield %u }          from different paths; a wait for
    wait %r                                                     %r ends either of them
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from mlir import ir

from forebay.ir.plan_check.memory.references import OVER, PREVIOUS, Reference

Ticket = int | str
"""The number of an operation, or the name of a queue, which stands for its next operation."""

OperationRun = tuple[ir.OpView, int]
"""An op and the number of its run: PREVIOUS for the last iteration, OVER for all earlier ones."""

Generalisation = Callable[[Reference], Reference]


class PendingAccess(NamedTuple):
    """Bytes that an operation reads or writes until it ends."""

    reference: Reference
    writes: bool


class StartedOperation(NamedTuple):
    """An operation that may be in flight, and the tickets that do not end before it."""

    accesses: frozenset[PendingAccess]
    ends_by: frozenset[Ticket]


InFlight = Mapping[OperationRun, StartedOperation]
"""All operations that may be in flight at a program point; never modified in place."""


def start(
    state: InFlight,
    key: OperationRun,
    accesses: Iterable[PendingAccess],
    queue: str,
    after: Iterable[Ticket],
) -> InFlight:
    """Return the state after an operation starts, ordered after `after` and all in its queue."""
    before = frozenset((queue, *after))
    own = frozenset((key[1], queue))
    behind = {
        other: StartedOperation(known.accesses, known.ends_by | own)
        if known.ends_by & before
        else known
        for other, known in state.items()
    }
    return {**behind, key: StartedOperation(frozenset(accesses), own)}


def concurrent(state: InFlight, queue: str, after: Iterable[Ticket]) -> InFlight:
    """Return the operations that may run concurrently with one that is started.

    Those are all except the operations that it is ordered after.
    """
    before = frozenset((queue, *after))
    return {key: known for key, known in state.items() if not known.ends_by & before}


def wait(state: InFlight, tickets: Iterable[Ticket]) -> InFlight:
    """Return the operations that may be in flight after a wait."""
    waited = frozenset(tickets)
    return {key: known for key, known in state.items() if not known.ends_by & waited}


def renamed(
    state: InFlight, names: Sequence[tuple[Ticket, Ticket]], youngest: float = math.inf
) -> InFlight:
    """Return the state with new names for tickets.

    Each pair is an old ticket and its new name. Tickets from number `youngest` on are dropped.
    """

    def of(ends_by: frozenset[Ticket]) -> frozenset[Ticket]:
        kept = {t for t in ends_by if isinstance(t, str) or t < youngest}
        return frozenset(kept | {new for old, new in names if old in ends_by})

    return {
        key: StartedOperation(known.accesses, of(known.ends_by)) for key, known in state.items()
    }


def join_in_flight(one: InFlight, other: InFlight) -> InFlight:
    """Return the join of the states of two paths."""
    met = dict(one)
    for key, known in other.items():
        met[key] = known if key not in met else _both(met[key], known)
    return met


def next_iteration(
    state: InFlight, run: int, forget: Generalisation, before: Generalisation
) -> InFlight:
    """Return the state for the next iteration: runs from number `run` on become PREVIOUS.

    `before` converts the bytes of these runs to the unknowns of the next iteration. `forget`
    converts those of older runs.
    """
    aged: dict[OperationRun, StartedOperation] = {}
    for (op, number), known in state.items():
        is_new = number >= run
        age = PREVIOUS if is_new else OVER if number == PREVIOUS else number
        of = before if is_new else forget
        accesses = frozenset(
            access._replace(reference=of(access.reference)) for access in known.accesses
        )
        key, operation = (op, age), StartedOperation(accesses, known.ends_by)
        aged[key] = operation if key not in aged else _both(aged[key], operation)
    return aged


def _both(one: StartedOperation, other: StartedOperation) -> StartedOperation:
    return StartedOperation(one.accesses | other.accesses, one.ends_by & other.ends_by)
