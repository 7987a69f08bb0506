"""Check for recursion: functions that call themselves, directly or indirectly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mlir import ir
from mlir.dialects import func

from forebay.ir.nested import ops_of
from forebay.ir.supported.finding import Finding

_Calls = Mapping[str, Sequence[tuple[str, ir.Location]]]


def recursion_findings(functions: Sequence[func.FuncOp]) -> Iterator[Finding]:
    """Yield each call that closes a cycle, found by one depth-first walk of the call graph."""
    calls: _Calls = {function.sym_name.value: _calls_in(function) for function in functions}
    done: set[str] = set()
    for name in calls:
        if name not in done:
            yield from _walk(name, calls, done)


def _calls_in(function: func.FuncOp) -> list[tuple[str, ir.Location]]:
    return [(call.callee.value, call.location) for call in ops_of(function, func.CallOp)]


def _walk(start: str, calls: _Calls, done: set[str]) -> Iterator[Finding]:
    """Yield calls that close a cycle; iterative, as a call chain may be as long as the module."""
    path = [start]
    left = [iter(calls[start])]
    while path:
        callee, location = next(left[-1], (None, None))
        if callee is None or location is None:
            done.add(path.pop())
            left.pop()
        elif callee in path:
            yield Finding(location, _cycle_message(path[path.index(callee) :]))
        elif callee not in done and callee in calls:
            path.append(callee)
            left.append(iter(calls[callee]))


def _cycle_message(cycle: Sequence[str]) -> str:
    through = "".join(f" through @{name}" for name in cycle[1:])
    return (
        f"@{cycle[0]} calls itself{through}, so each of its buffers would be alive several times "
        "at one static address; write the recursion as a loop"
    )
