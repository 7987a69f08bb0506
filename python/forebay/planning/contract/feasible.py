"""A check before planning that rejects problems that no planner can solve."""

from __future__ import annotations

from forebay.planning.contract.bounds import Bound, lower_bound
from forebay.planning.contract.conflicts import conflict_sets
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
    pinned = [b.name for b in problem.buffers if problem.pin_of(b) is not None]
    conflicts = conflict_sets(problem, pinned) if pinned else {}
    order = {name: number for number, name in enumerate(pinned)}
    pairs = sorted(
        (order[one], order[other])
        for one, others in conflicts.items()
        for other in others
        if order[one] < order[other]
    )
    for one, other in pairs:
        first, second = (problem.buffer_by_name[pinned[number]] for number in (one, other))
        if _pinned_pool(problem, first) != _pinned_pool(problem, second):
            continue
        here, there = _pinned_range(problem, first), _pinned_range(problem, second)
        if here.overlaps(there):
            raise ProblemError(
                f"buffers '{first.name}' at {here} and '{second.name}' at {there} of pool "
                f"'{_pinned_pool(problem, first)}' are pinned onto each other while both live",
                buffers=[first.name, second.name],
                pools=[_pinned_pool(problem, first)],
            )


def _pinned_pool(problem: Problem, buffer: Buffer) -> str:
    """Return the pool of a pinned buffer, or of the pinned member of its alias group."""
    if buffer.alias is None:
        return buffer.pools[0]
    group = [b for b in problem.buffers if b.alias == buffer.alias and b.pinned_offset is not None]
    return group[0].pools[0]


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
