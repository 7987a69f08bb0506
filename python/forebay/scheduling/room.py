"""Whether buffers may live longer, or several times, before anything is rewritten for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from mlir import ir
from mlir.dialects import func
from mlir.dialects.builtin import ModuleOp

from forebay.device_stages.grants import granted
from forebay.ir.nested import ops_in
from forebay.ir.problem import Extraction, extract
from forebay.planning import Buffer, Interval, PlanningError, Problem, plan

_PLANNERS = ("greedy-by-size", "auto")
"""The quick one first; what it does not fit may fit still."""


@dataclass(frozen=True)
class Wish:
    """The root of that number is wanted over all of `ops`, in `copies` places."""

    root: int
    ops: Sequence[ir.OpView]
    copies: int = 1


class Room:
    """A module's planning problem, and questions of what else would fit.

    Raises `RefusedError` where the module's lifetimes cannot be seen.
    """

    def __init__(self, module: ModuleOp) -> None:
        self._extraction = extract(module)

    def fits(self, wishes: Iterable[Wish]) -> bool:
        """Whether there is a plan in which all wishes come true, and no stage takes too much."""
        wanted = {wish.root: wish for wish in wishes}
        problem = self._extraction.problem
        buffers = [
            buffer
            for number, known in enumerate(problem.buffers)
            for buffer in self._granted_wish(known, wanted.get(number))
        ]
        return self._keeps_grants(wanted) and _has_plan(replace(problem, buffers=tuple(buffers)))

    def _granted_wish(self, buffer: Buffer, wish: Wish | None) -> Iterable[Buffer]:
        if wish is None:
            return [buffer]
        lifetime = self._lifetime(buffer, wish)
        first = replace(buffer, lifetime=lifetime)
        others = (
            replace(first, name=f"{buffer.name}/{number}") for number in range(1, wish.copies)
        )
        return [first, *others]

    def _lifetime(self, buffer: Buffer, wish: Wish) -> tuple[Interval, ...]:
        """One interval over what it was and what is wished, in all calls of the function."""
        inside = {inner for op in wish.ops for inner in ops_in(op)}
        ticks = [n for n, op in enumerate(self._extraction.liveness.ops) if op in inside]
        starts = [*ticks, *(interval.start for interval in buffer.lifetime)]
        ends = [*(tick + 1 for tick in ticks), *(interval.end for interval in buffer.lifetime)]
        return (Interval(min(starts), max(ends)),)

    def _keeps_grants(self, wanted: Mapping[int, Wish]) -> bool:
        """Whether no function of a device's stage lets more bytes live than it was granted."""
        return all(
            _peak(lives) <= free.get(pool, 0)
            for function, free in self._grants(wanted)
            for pool in free
            for lives in [self._own(function, pool, wanted)]
        )

    def _grants(self, wanted: Mapping[int, Wish]) -> list[tuple[func.FuncOp, Mapping[str, int]]]:
        functions = {_function_of(self._extraction.liveness.roots[root].op) for root in wanted}
        found = [(function, granted(function)) for function in functions if function is not None]
        return [(function, free) for function, free in found if free is not None]

    def _own(
        self, function: func.FuncOp, pool: str, wanted: Mapping[int, Wish]
    ) -> list[tuple[int, tuple[Interval, ...]]]:
        """Bytes and lifetimes of what a function allocates that may come to lie in the pool."""
        extraction: Extraction = self._extraction
        return [
            (buffer.size, buffer.lifetime)
            for number, (root, known) in enumerate(
                zip(extraction.liveness.roots, extraction.problem.buffers, strict=True)
            )
            if pool in known.pools and _function_of(root.op) == function
            for buffer in self._granted_wish(known, wanted.get(number))
        ]


def _has_plan(problem: Problem) -> bool:
    for planner in _PLANNERS:
        try:
            plan(problem, planner)
        except PlanningError:
            continue
        return True
    return False


def _peak(lives: Sequence[tuple[int, tuple[Interval, ...]]]) -> int:
    """The most bytes that live at one time."""
    starts = {interval.start for _, lifetime in lives for interval in lifetime}
    return max(
        (
            sum(size for size, life in lives if any(a <= tick < b for a, b in life))
            for tick in starts
        ),
        default=0,
    )


def _function_of(op: ir.OpView | None) -> func.FuncOp | None:
    around = None if op is None else op.operation.parent
    while around is not None and not isinstance(around.opview, func.FuncOp):
        around = around.operation.parent
    return None if around is None else around.opview
