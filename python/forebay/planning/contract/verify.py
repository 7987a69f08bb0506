"""Independent verification of plans: shares no code with planners, bounds or conflict sets.

It raises errors and uses no `assert`, so it also works under `python -O`. It finds overlaps by a
sweep over the ticks. The sweep keeps the live byte ranges of a pool sorted. While no two live
ranges overlap, a new range can only overlap its neighbours in that order.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from forebay.planning.model.buffer import Buffer
from forebay.planning.model.errors import (
    AliasBrokenError,
    BlockBrokenError,
    MisalignedError,
    MissingBufferError,
    OutOfPoolError,
    OverlapError,
    PinMovedError,
    PlanRefusedError,
    ReservedBytesError,
    UnknownBufferError,
    WrongPoolError,
)
from forebay.planning.model.plan import Placement, Plan
from forebay.planning.model.problem import Problem
from forebay.pools import Pool


class _Placed(NamedTuple):
    """The byte range `[start, end)` of a buffer in its pool, ordered by its start."""

    start: int
    end: int
    name: str
    alias: str | None


def verify(plan: Plan) -> None:
    """Raise the matching `PlanRefusedError` subclass if the plan breaks a rule of its problem."""
    problem = plan.problem
    known = {buffer.name for buffer in problem.buffers}
    for name in plan.placements:
        if name not in known:
            raise UnknownBufferError(
                f"the plan places '{name}', which the problem does not have", buffers=[name]
            )
    pools = {pool.name: pool for pool in problem.pools}
    blocks = _block_sizes(problem)
    placed: dict[str, list[_Placed]] = {name: [] for name in pools}
    for buffer in problem.buffers:
        placement = plan.placements.get(buffer.name)
        if placement is None:
            raise MissingBufferError(
                f"the plan forgets buffer '{buffer.name}'", buffers=[buffer.name]
            )
        _verify_pool(buffer, placement)
        size = buffer.size if buffer.alias is None else blocks[buffer.alias]
        placed[placement.pool].append(_verify_range(buffer, placement, pools[placement.pool], size))
    _verify_groups(problem, plan)
    _verify_blocks(problem, plan)
    for pool, ranges in placed.items():
        _verify_overlaps(problem, pool, ranges)


def _verify_pool(buffer: Buffer, placement: Placement) -> None:
    pool, offset = placement
    pinned = buffer.pinned_pool
    if pinned is not None and pool != pinned:
        raise PinMovedError(
            f"buffer '{buffer.name}' is pinned to pool '{pinned}', not '{pool}'",
            buffers=[buffer.name],
            pools=[pinned, pool],
        )
    if pinned is None and pool not in buffer.candidates:
        candidates = ", ".join(f"'{name}'" for name in buffer.candidates)
        raise WrongPoolError(
            f"buffer '{buffer.name}' lies in pool '{pool}'; its candidates are {candidates}",
            buffers=[buffer.name],
            pools=[pool],
        )
    if type(offset) is not int:
        raise OutOfPoolError(
            f"buffer '{buffer.name}' has offset {offset!r}, which is no integer",
            buffers=[buffer.name],
            pools=[pool],
        )
    if buffer.pinned_offset is not None and offset != buffer.pinned_offset:
        raise PinMovedError(
            f"buffer '{buffer.name}' is pinned to offset {buffer.pinned_offset:,} "
            f"of pool '{pool}', not {offset:,}",
            buffers=[buffer.name],
            pools=[pool],
        )


def _block_sizes(problem: Problem) -> dict[str, int]:
    """Return the size of each alias group in bytes: the size of its largest member."""
    sizes: dict[str, int] = {}
    for buffer in problem.buffers:
        if buffer.alias is not None and buffer.size > sizes.get(buffer.alias, 0):
            sizes[buffer.alias] = buffer.size
    return sizes


def _verify_range(buffer: Buffer, placement: Placement, pool: Pool, size: int) -> _Placed:
    start = placement.offset
    end = start + (size + pool.unit - 1) // pool.unit * pool.unit
    where = f"buffer '{buffer.name}' at [{start:,}, {end:,}) of pool '{pool.name}'"
    refuse = partial(_refusal, buffer, pool, where)
    address = start + (pool.base or 0) * (pool.unit if pool.local else 1)
    alignment = pool.alignment if buffer.alignment is None else buffer.alignment
    if address % alignment or address % pool.unit:
        what = f"begins at address {address:,}, not aligned to {max(alignment, pool.unit)}"
        raise refuse(MisalignedError, what)
    if start < pool.start:
        raise refuse(OutOfPoolError, f"begins before the first usable byte {pool.start:,}")
    if pool.capacity is not None and end > pool.capacity:
        excess = end - pool.capacity
        what = f"ends {excess:,} bytes above the capacity {pool.capacity:,}"
        raise refuse(OutOfPoolError, what)
    if end > 2**63 - 1:
        raise refuse(OutOfPoolError, "ends above 2^63 - 1")
    for low, high in pool.reserved:
        if start < high and low < end:
            raise refuse(ReservedBytesError, f"covers reserved bytes [{low:,}, {high:,})")
    return _Placed(start, end, buffer.name, buffer.alias)


def _refusal(
    buffer: Buffer, pool: Pool, where: str, error: type[PlanRefusedError], what: str
) -> PlanRefusedError:
    return error(f"{where} {what}", buffers=[buffer.name], pools=[pool.name])


def _verify_groups(problem: Problem, plan: Plan) -> None:
    first: dict[str, str] = {}
    for buffer in problem.buffers:
        if buffer.alias is None:
            continue
        leader = first.setdefault(buffer.alias, buffer.name)
        here, there = plan.placements[buffer.name], plan.placements[leader]
        if here != there:
            raise AliasBrokenError(
                f"buffers '{leader}' and '{buffer.name}' of alias group '{buffer.alias}' lie at "
                f"{there.pool}+{there.offset:,} and {here.pool}+{here.offset:,}",
                buffers=[leader, buffer.name],
                pools=[there.pool, here.pool],
            )


def _verify_blocks(problem: Problem, plan: Plan) -> None:
    """Each member begins at the beginning of its block plus its offset in the block."""
    first: dict[str, Buffer] = {}
    for buffer in problem.buffers:
        if buffer.block is None:
            continue
        leader = first.setdefault(buffer.block, buffer)
        here, there = plan.placements[buffer.name], plan.placements[leader.name]
        begins = here.offset - buffer.block_offset, there.offset - leader.block_offset
        if here.pool != there.pool or begins[0] != begins[1]:
            raise BlockBrokenError(
                f"block '{buffer.block}' begins at {there.pool}+{begins[1]:,} for buffer "
                f"'{leader.name}' and at {here.pool}+{begins[0]:,} for '{buffer.name}'",
                buffers=[leader.name, buffer.name],
                pools=[there.pool, here.pool],
            )


def _verify_overlaps(problem: Problem, pool: str, ranges: Sequence[_Placed]) -> None:
    by_name = {placed.name: placed for placed in ranges}
    here = [buffer for buffer in problem.buffers if buffer.name in by_name]
    always = [by_name[b.name] for b in here if b.kind.value in {"constant", "state"}]
    passing = [b for b in here if b.kind.value not in {"constant", "state"}]
    _sweep(pool, always, [(by_name[b.name], b) for b in passing])
    for placed in (by_name[b.name] for b in passing if not b.lifetime):
        for other in always:
            _refuse_overlap(pool, placed, other)
    for first, second in problem.conflicts:
        if first in by_name and second in by_name:
            _refuse_overlap(pool, by_name[first], by_name[second])


def _sweep(pool: str, always: Sequence[_Placed], passing: Sequence[tuple[_Placed, Buffer]]) -> None:
    """Add and remove byte ranges in tick order; at one tick, ends are handled before begins."""
    alive: list[_Placed] = []
    for placed in always:
        _enter(pool, alive, placed)
    events: list[tuple[int, bool, _Placed]] = []
    for placed, buffer in passing:
        for start, end in buffer.lifetime:
            events.append((start, True, placed))
            events.append((end, False, placed))
    for _, begins, placed in sorted(events):
        if begins:
            _enter(pool, alive, placed)
        else:
            del alive[bisect_left(alive, placed)]


def _enter(pool: str, alive: list[_Placed], placed: _Placed) -> None:
    """Add a range to the live ranges; it can only overlap its neighbours in the sorted order."""
    index = bisect_left(alive, placed)
    for other in alive[max(index - 1, 0) : index + 1]:
        _refuse_overlap(pool, placed, other)
    insort(alive, placed)


def _refuse_overlap(pool: str, first: _Placed, second: _Placed) -> None:
    if first.alias is not None and first.alias == second.alias:
        return
    if first.start < second.end and second.start < first.end:
        low, high = max(first.start, second.start), min(first.end, second.end)
        raise OverlapError(
            f"buffers '{first.name}' at [{first.start:,}, {first.end:,}) and '{second.name}' "
            f"at [{second.start:,}, {second.end:,}) of pool '{pool}' are live together and share "
            f"bytes [{low:,}, {high:,})",
            buffers=[first.name, second.name],
            pools=[pool],
        )
