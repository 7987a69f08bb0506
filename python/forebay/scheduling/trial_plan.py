"""A trial plan: decides whether lifetimes may grow before a rewrite makes them grow.

The trial plan is a plan of the current program. A request changes the lifetime of a buffer in it.
The buffer keeps its offset if no other buffer conflicts there, or moves to another gap. Only if
there is no gap, the whole problem is planned anew, and this at most a limited number of times.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from mlir import ir
from mlir.dialects.builtin import ModuleOp
from numpy.typing import NDArray

from forebay.device_stages.grants import granted
from forebay.dialects.memref_pool import AllocOp
from forebay.ir.identity import identity_of
from forebay.ir.memory.underlying import Base, function_around
from forebay.ir.memory.underlying_buffers import UnderlyingBuffer
from forebay.ir.nested import ops_in
from forebay.ir.problem.problem import extract_problem
from forebay.planning import Buffer, Interval, PlanningError, Problem, plan
from forebay.scheduling.witness import Witness

_PLANNERS = ("greedy-by-size", "auto")
"""The fast planner first; the second may fit what the first does not."""

_MOST_FAILURES = 16
"""The most failed plans of the whole problem in one run of a pass; each may be a long search."""


@dataclass(frozen=True)
class LifetimeExtension:
    """A request: the buffer shall also be live over all of `ops`, in `copies` places."""

    base: Base
    ops: Sequence[ir.OpView]
    copies: int = 1


class TrialPlan:
    """A module's planning problem, with the lifetime extensions admitted so far.

    Raises `RefusedError` when the lifetimes of the module cannot be analysed.
    """

    def __init__(self, module: ModuleOp) -> None:
        extraction = extract_problem(module)
        self._problem = extraction.problem
        self._buffers = list(extraction.problem.buffers)
        self._numbers = _numbers(extraction.liveness.buffers)
        self._ticks: dict[int, list[int]] = defaultdict(list)
        for tick, op in enumerate(extraction.liveness.ops):
            self._ticks[identity_of(op)].append(tick)
        self._grants = _Grants(extraction.liveness.buffers, self._buffers)
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
        if not self._grants.admit(longer, more) or not self._fits(longer, more):
            self.has_refused = True
            return False
        self._grants.take(longer, more)
        for number, buffer in longer.items():
            self._buffers[number] = buffer
        return True

    def stands_for(self, new: ir.OpView, old: ir.OpView) -> None:
        """Record that `new` runs at the program points of `old`, which is about to be erased."""
        self._ticks[identity_of(new)] = self._ticks.pop(identity_of(old), [])

    def _extended(self, number: int, extension: LifetimeExtension) -> Buffer:
        """Return the buffer with one lifetime interval over the old lifetime and the request.

        The interval covers all calls of the function.
        """
        buffer = self._buffers[number]
        ops = [identity_of(inner) for op in extension.ops for inner in ops_in(op)]
        ticks = [tick for op in ops for tick in self._ticks.get(op, ())]
        starts = [*ticks, *(interval.start for interval in buffer.lifetime)]
        ends = [*(tick + 1 for tick in ticks), *(interval.end for interval in buffer.lifetime)]
        return replace(buffer, lifetime=(Interval(min(starts), max(ends)),))

    def _fits(self, longer: Mapping[int, Buffer], more: Mapping[int, int]) -> bool:
        if not self._is_planned:
            self._is_planned, self._witness = True, self._planned(self._buffers)
        bounded = {n: b for n, b in longer.items() if not _is_unlimited(b, self._problem)}
        if self._witness is not None and self._witness.admits(bounded, more):
            return True
        if self._failures >= _MOST_FAILURES:
            return False
        buffers = [longer.get(n, buffer) for n, buffer in enumerate(self._buffers)]
        copies = [
            replace(buffer, name=f"{buffer.name}/{copy}")
            for n, buffer in longer.items()
            for copy in range(1, more[n] + 1)
        ]
        found = self._planned([*buffers, *copies])
        if found is None:
            self._failures += 1
            return False
        self._witness = found
        return True

    def _planned(self, buffers: Sequence[Buffer]) -> Witness | None:
        problem = replace(self._problem, buffers=tuple(buffers))
        for planner in _PLANNERS:
            try:
                return Witness(plan(problem, planner))
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


class _LiveBytes:
    """The number of live bytes at each program point of a range."""

    def __init__(self) -> None:
        self._start = 0
        self._bytes: NDArray[np.int64] = np.zeros(0, np.int64)

    @property
    def peak(self) -> int:
        """The largest number of live bytes at one program point."""
        return int(self._bytes.max(initial=0))

    def add(self, buffer: Buffer, times: int) -> None:
        """Add the buffer `times` times over its lifetime."""
        for start, end in buffer.lifetime:
            self._cover(start, end)
            self._bytes[start - self._start : end - self._start] += times * buffer.size

    def _cover(self, start: int, end: int) -> None:
        if not len(self._bytes):
            self._start = start
        before = max(0, self._start - start)
        behind = max(0, end - self._start - len(self._bytes))
        if before or behind:
            self._bytes = np.pad(self._bytes, (before, behind))
            self._start -= before


class _Grants:
    """The live bytes of the functions made by devices' stages, and their grants, by pool."""

    def __init__(self, roots: Sequence[UnderlyingBuffer], buffers: Sequence[Buffer]) -> None:
        self._buffers = list(buffers)
        self._live: dict[tuple[str, str], _LiveBytes] = defaultdict(_LiveBytes)
        self._free: dict[tuple[str, str], int] = {}
        self._of: dict[int, list[tuple[str, str]]] = {}
        for number, root in enumerate(roots):
            function = None if root.op is None else function_around(root.op)
            free = None if function is None else granted(function)
            if function is None or free is None:
                continue
            name, pools = function.sym_name.value, buffers[number].pools
            self._of[number] = [(name, pool) for pool in pools if pool in free]
            for key in self._of[number]:
                self._free[key] = free[key[1]]
                self._live[key].add(buffers[number], 1)

    def admit(self, longer: Mapping[int, Buffer], more: Mapping[int, int]) -> bool:
        """Return whether no function exceeds its grant with these lifetimes."""
        keys = {key for number in longer for key in self._of.get(number, ())}
        self._change(longer, more, 1)
        fits = all(self._live[key].peak <= self._free[key] for key in keys)
        self._change(longer, more, -1)
        return fits

    def take(self, longer: Mapping[int, Buffer], more: Mapping[int, int]) -> None:
        """Use these lifetimes from now on."""
        self._change(longer, more, 1)
        for number, buffer in longer.items():
            self._buffers[number] = buffer

    def _change(self, longer: Mapping[int, Buffer], more: Mapping[int, int], sign: int) -> None:
        for number, buffer in longer.items():
            for key in self._of.get(number, ()):
                self._live[key].add(self._buffers[number], -sign)
                self._live[key].add(buffer, sign * (1 + more[number]))
