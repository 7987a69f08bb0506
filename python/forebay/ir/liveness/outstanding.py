"""Operations that were started and of which the host has not necessarily seen the end.

Each operation has names. A wait for one of its names ends it. The names are its own token, the
tokens of operations ordered after it, its queue (for the next operations in that queue), and every
value that a token is passed on as. Where two paths join, an operation may be outstanding if it is
outstanding on one of them. It then has the names that it has on all paths where it is outstanding.
Names are SSA values; such a value stands for something new each time its op runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mlir import ir
from msgspec import Struct
from msgspec.structs import replace

from forebay.dialects.accel import LaunchOp, StartOp

TokenName = ir.Value | str

StartingOp = StartOp | LaunchOp


class OutstandingOperation(Struct, frozen=True):
    """The buffers that an operation uses until a wait for one of its names."""

    buffers: frozenset[int]
    names: frozenset[TokenName]

    def merged(self, other: OutstandingOperation) -> OutstandingOperation:
        """Return the join of two: all buffers, but only the names that both have."""
        return OutstandingOperation(self.buffers | other.buffers, self.names & other.names)


StartedRun = tuple[StartingOp, bool]
"""An operation, and whether it was started before the latest run of its op."""

OutstandingOperations = Mapping[StartedRun, OutstandingOperation]


def after_start(
    state: OutstandingOperations,
    op: StartingOp,
    buffers: frozenset[int],
    queue: str,
    after: Iterable[ir.Value],
) -> OutstandingOperations:
    """Return the state after `op` starts, ordered after `after` and all in its queue."""
    before = frozenset[TokenName]((queue, *after))
    own = frozenset[TokenName]((op.token, queue))
    left: dict[StartedRun, OutstandingOperation] = {}
    for (other, is_old), known in state.items():
        names = known.names - {op.token}
        if known.names & before:
            names |= own
        _add(left, (other, is_old or other == op), OutstandingOperation(known.buffers, names))
    return {**left, (op, False): OutstandingOperation(buffers, own)}


def buffers_beside(
    state: OutstandingOperations, queue: str, after: Iterable[ir.Value]
) -> frozenset[int]:
    """Return the buffers of the operations that may run while one that is started now runs."""
    before = frozenset[TokenName]((queue, *after))
    beside = (known.buffers for known in state.values() if not known.names & before)
    return frozenset[int]().union(*beside)


def after_wait(
    state: OutstandingOperations, tokens: Iterable[ir.Value]
) -> tuple[OutstandingOperations, frozenset[int]]:
    """Return the state after a wait, and the buffers of the operations that it ends."""
    waited = frozenset[TokenName](tokens)
    ended = [known.buffers for known in state.values() if known.names & waited]
    left = {run: known for run, known in state.items() if not known.names & waited}
    return left, frozenset[int]().union(*ended)


def with_token_names(
    state: OutstandingOperations, old: Sequence[ir.Value], new: Sequence[ir.Value]
) -> OutstandingOperations:
    """Return the state after values are passed on as others, all at once.

    The previous meanings of `new` are dropped.
    """
    if not state:
        return state
    gone = frozenset[TokenName](new)
    pairs = list(zip(old, new, strict=True))
    return {
        run: replace(known, names=known.names - gone | {n for o, n in pairs if o in known.names})
        for run, known in state.items()
    }


def selected(
    state: OutstandingOperations, values: Sequence[ir.Value], result: ir.Value
) -> OutstandingOperations:
    """Return the state after `result` became one of several values.

    `result` is a name only of operations that each of the values ends.
    """
    return {
        run: replace(known, names=known.names - {result} | _if_all(values, known, result))
        for run, known in state.items()
    }


def _if_all(
    values: Sequence[ir.Value], known: OutstandingOperation, result: ir.Value
) -> set[TokenName]:
    return {result} if known.names.issuperset(values) else set()


def join_outstanding(states: Iterable[OutstandingOperations]) -> OutstandingOperations:
    """Return the state where several paths join."""
    met: dict[StartedRun, OutstandingOperation] = {}
    for state in states:
        for run, known in state.items():
            _add(met, run, known)
    return met


def _add(
    state: dict[StartedRun, OutstandingOperation], run: StartedRun, known: OutstandingOperation
) -> None:
    state[run] = known.merged(state[run]) if run in state else known
