"""A check before planning that rejects problems that no planner can solve."""

from __future__ import annotations

from itertools import combinations

from forebay.planning.contract.bounds import Bound, lower_bound
from forebay.planning.model.buffer import Buffer
from forebay.planning.model.errors import PlanInfeasibleError, ProblemError, ShortageBuffer
from forebay.planning.model.problem import Problem
from forebay.pools import ByteRange, Pool


def check_feasible(problem: Problem) -> None:
    """Raise an error when a cheap check proves that no plan exists.

    Raises `ProblemError` when two pinned buffers collide. Raises `PlanInfeasibleError` when the
    buffers that have only one candidate pool need more bytes than its capacity.
    """
    _check_pins(problem)
    for pool in problem.pools:
        if pool.capacity is None:
            continue
        bound = lower_bound(problem, pool)
        if bound.bytes > pool.capacity:
            raise shortage(problem, pool, bound, proved=True)


def _check_pins(problem: Problem) -> None:
    pairs = {frozenset(pair) for pair in problem.conflicts}
    pinned = [b for b in problem.buffers if problem.pin_of(b) is not None]
    for first, second in combinations(pinned, 2):
        if _pinned_pool(problem, first) != _pinned_pool(problem, second):
            continue
        here, there = _pinned_range(problem, first), _pinned_range(problem, second)
        conflict = first.live_with(second) or frozenset((first.name, second.name)) in pairs
        if conflict and here.overlaps(there):
            raise ProblemError(
                f"buffers '{first.name}' at {here} and '{second.name}' at {there} of pool "
                f"'{_pinned_pool(problem, first)}' are pinned onto each other while both live",
                buffers=[first.name, second.name],
                pools=[_pinned_pool(problem, first)],
            )


def _pinned_pool(problem: Problem, buffer: Buffer) -> str:
    """Return the pool of a pinned buffer, or of the pinned member of its alias group."""
    group = [b for b in problem.buffers if b.alias == buffer.alias and b.pinned_offset is not None]
    return buffer.pools[0] if buffer.alias is None else group[0].pools[0]


def _pinned_range(problem: Problem, buffer: Buffer) -> ByteRange:
    size = problem.taken_in(buffer, problem.pool_by_name[_pinned_pool(problem, buffer)])
    offset = problem.pin_of(buffer) or 0
    return ByteRange(offset, offset + size)


def shortage(problem: Problem, pool: Pool, bound: Bound, *, proved: bool) -> PlanInfeasibleError:
    """Return the error that names the pool, the missing bytes and the buffers that need them."""
    live = (problem.buffer_by_name[name] for name in bound.buffers)
    return PlanInfeasibleError(
        pool.name,
        bound.bytes,
        pool.capacity or 0,
        (ShortageBuffer(b.name, problem.size_in(b, pool), b.pinned_by) for b in live),
        where="" if bound.tick is None else problem.step(bound.tick),
        proved=proved,
    )
