"""Operations that were started and whose end the host need not have seen yet.

Each has names by which a wait ends it: its own token, the tokens of operations behind it, the
queue for whatever comes next in it, and every value that a token is handed on as. On two ways to
one point it may be outstanding if it is on one of them, under the names that it has on all of them
where it is. Names are values, which mean something else each time that their op runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from mlir import ir

from forebay.dialects.accel import LaunchOp, StartOp

Name = ir.Value | str

Origin = StartOp | LaunchOp


@dataclass(frozen=True)
class Outstanding:
    """The buffers that an operation uses until one of its names is waited for."""

    roots: frozenset[int]
    names: frozenset[Name]

    def merged(self, other: Outstanding) -> Outstanding:
        """Either of two, or both."""
        return Outstanding(self.roots | other.roots, self.names & other.names)


Run = tuple[Origin, bool]
"""An operation, and whether it is older than the last time that its op ran."""

State = Mapping[Run, Outstanding]


def start(
    state: State, op: Origin, roots: frozenset[int], queue: str, after: Iterable[ir.Value]
) -> State:
    """Another one: behind `after`, and behind all that its queue was given before."""
    before = frozenset[Name]((queue, *after))
    own = frozenset[Name]((op.token, queue))
    left: dict[Run, Outstanding] = {}
    for (other, is_old), known in state.items():
        names = known.names - {op.token}
        if known.names & before:
            names |= own
        _add(left, (other, is_old or other == op), Outstanding(known.roots, names))
    return {**left, (op, False): Outstanding(roots, own)}


def wait(state: State, tokens: Iterable[ir.Value]) -> tuple[State, frozenset[int]]:
    """Return what may be outstanding behind a wait, and the buffers of what it ends."""
    waited = frozenset[Name](tokens)
    ended = [known.roots for known in state.values() if known.names & waited]
    left = {run: known for run, known in state.items() if not known.names & waited}
    return left, frozenset[int]().union(*ended)


def handed(state: State, old: Sequence[ir.Value], new: Sequence[ir.Value]) -> State:
    """Values are handed on as others, all at once; what these were before is gone."""
    if not state:
        return state
    gone = frozenset[Name](new)
    pairs = list(zip(old, new, strict=True))
    return {
        run: replace(known, names=known.names - gone | {n for o, n in pairs if o in known.names})
        for run, known in state.items()
    }


def chosen(state: State, values: Sequence[ir.Value], result: ir.Value) -> State:
    """Return a value that is one of several: a name only of what each of them ends."""
    return {
        run: replace(known, names=known.names - {result} | _if_all(values, known, result))
        for run, known in state.items()
    }


def _if_all(values: Sequence[ir.Value], known: Outstanding, result: ir.Value) -> set[Name]:
    return {result} if known.names.issuperset(values) else set()


def either(states: Iterable[State]) -> State:
    """Return what holds where several ways meet."""
    met: dict[Run, Outstanding] = {}
    for state in states:
        for run, known in state.items():
            _add(met, run, known)
    return met


def _add(state: dict[Run, Outstanding], run: Run, known: Outstanding) -> None:
    state[run] = known.merged(state[run]) if run in state else known
