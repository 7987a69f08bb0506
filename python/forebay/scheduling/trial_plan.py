"""A trial plan: decides whether lifetimes may grow before a rewrite makes them grow.

The trial plan is a plan of the current program. A request changes the lifetime of a buffer in it,
or adds copies of the buffer. A buffer keeps its offset if no other buffer conflicts there, or moves
to another gap. Only if there is no gap, the whole problem is planned again: not if more bytes would
be live at once than the pool has, and at most a limited number of times without success.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from mlir import ir
from mlir.dialects.builtin import ModuleOp
from msgspec import Struct

from forebay.dialects.memref_pool import AllocOp
from forebay.ir.identity import identity_of
from forebay.ir.memory.underlying import Base
from forebay.ir.memory.underlying_buffers import UnderlyingBuffer
from forebay.ir.nested import ops_in
from forebay.ir.problem.problem import extract_problem
from forebay.planning import Buffer, Effort, Interval, Plan, PlanningError, Problem, plan
from forebay.scheduling.live_limits import LiveLimits
from forebay.scheduling.witness import Witness

_PLANNERS = ("greedy-by-size", "auto")
"""The fast planner first; the second may fit what the first does not."""

_MOST_FAILURES = 16
"""The most failed plans of the whole problem in one run of a pass; each may be a long search."""


class LifetimeExtension(Struct, frozen=True):
    """A request: the buffer shall also be live over all of `ops`, in `copies` places."""

    base: Base
    ops: Sequence[ir.OpView]
    copies: int = 1


class TrialPlan:
    """A module's planning problem, with the lifetime extensions admitted so far.

    Raises `RefusedError` when the lifetimes of the module cannot be analysed.
    """

    def __init__(self, module: ModuleOp) -> None:
        extraction = extract_problem(module, by_rows=False)
        self._problem = extraction.problem
        self._buffers = list(extraction.problem.buffers)
        self._numbers = _numbers(extraction.liveness.buffers)
        self._ticks: dict[int, list[int]] = defaultdict(list)
        for tick, op in enumerate(extraction.liveness.ops):
            self._ticks[identity_of(op)].append(tick)
        self._limits = LiveLimits(extraction)
        self._witness: Witness | None = None
        self._is_planned = False
        self._failures = 0
        self.has_refused = False

    def admits(self, extensions: Sequence[LifetimeExtension]) -> bool:
        """Return whether a plan with all extensions exists and every stage stays within its grant.

        If so, the trial plan has the new lifetimes from now on.
        """
        wanted = {self._numbers[e.base]: e for e in extensions if e.base in self._numbers}
        longer = {n: self._extended(n, e) for n, e in wanted.items()}
        more = {n: e.copies - 1 for n, e in wanted.items()}
        if not self._limits.admit(longer, more) or not self._fits(longer, more):
            self.has_refused = True
            return False
        self._limits.take(longer, more)
        for number, buffer in longer.items():
            self._buffers[number] = buffer
        self._buffers += _copies(longer, more)
        return True

    def forget(self, op: ir.OpView) -> None:
        """Remove an op and the ops inside it, which are about to be erased or replaced.

        Their buffers stay in the plan, and stand for those of the ops that replace them.
        """
        for inner in ops_in(op):
            self._ticks.pop(identity_of(inner), None)
            if isinstance(inner, AllocOp):
                self._numbers.pop(inner.memref, None)

    def stands_for(self, new: ir.OpView, old: ir.OpView) -> None:
        """Record that `new` runs at the program points of `old`, which is about to be erased."""
        self._ticks[identity_of(new)] = self._ticks.pop(identity_of(old), [])

    def _extended(self, number: int, extension: LifetimeExtension) -> Buffer:
        """Return the buffer, live over the old lifetime and the request.

        There is one interval for each call of the function, where the ticks tell calls apart.
        """
        buffer = self._buffers[number]
        ops = [identity_of(inner) for op in extension.ops for inner in ops_in(op)]
        ticks = [self._ticks[op] for op in ops if self._ticks.get(op)]
        if all(len(known) == len(buffer.lifetime) for known in ticks):
            calls = [_hull([life], at) for life, *at in zip(buffer.lifetime, *ticks, strict=True)]
            if all(one.end <= other.start for one, other in pairwise(calls)):
                return replace(buffer, lifetime=tuple(calls))
        lifetime = _hull(buffer.lifetime, [tick for known in ticks for tick in known])
        return replace(buffer, lifetime=(lifetime,))

    def _fits(self, longer: Mapping[int, Buffer], more: Mapping[int, int]) -> bool:
        if not self._is_planned:
            self._is_planned, self._witness = True, self._planned(self._buffers)
        bounded = {n: b for n, b in longer.items() if not _is_unlimited(b, self._problem)}
        if self._witness is not None and self._witness.admits(bounded, more):
            return True
        if self._failures >= _MOST_FAILURES:
            return False
        buffers = [longer.get(n, buffer) for n, buffer in enumerate(self._buffers)]
        found = self._planned([*buffers, *_copies(longer, more)])
        if found is None:
            self._failures += 1
            return False
        self._witness = found
        return True

    def _planned(self, buffers: Sequence[Buffer]) -> Witness | None:
        found = trial_plan_of(replace(self._problem, buffers=tuple(buffers)))
        return None if found is None else Witness(found)


def trial_plan_of(problem: Problem) -> Plan | None:
    """Return a plan of a problem by the trial's planners, or None if they find none.

    They search with low effort: where a plan is hard to find, the program stays as it is.
    """
    for planner in _PLANNERS:
        try:
            return plan(problem, planner, effort=Effort.LOW)
        except PlanningError:
            continue
    return None


def _numbers(roots: Sequence[UnderlyingBuffer]) -> dict[Base, int]:
    """Return the number of each buffer by the value or symbol that declares it."""
    found: dict[Base, int] = {}
    for number, root in enumerate(roots):
        if isinstance(root.op, AllocOp):
            found[root.op.memref] = number
        elif root.op is not None:
            found[f"@{root.op.sym_name.value}"] = number
        for argument in root.arguments:
            found[argument.value] = number
    return found


def _is_unlimited(buffer: Buffer, problem: Problem) -> bool:
    return any(problem.pool_by_name[name].capacity is None for name in buffer.pools)


def _hull(intervals: Sequence[Interval], ticks: Sequence[int]) -> Interval:
    """Return the interval over all intervals and ticks."""
    starts = [*ticks, *(interval.start for interval in intervals)]
    ends = [*(tick + 1 for tick in ticks), *(interval.end for interval in intervals)]
    return Interval(min(starts), max(ends))


def _copies(longer: Mapping[int, Buffer], more: Mapping[int, int]) -> list[Buffer]:
    """Return the copies of each buffer, as buffers with names of their own."""
    return [
        replace(buffer, name=f"{buffer.name}/{copy}")
        for number, buffer in longer.items()
        for copy in range(1, more[number] + 1)
    ]
