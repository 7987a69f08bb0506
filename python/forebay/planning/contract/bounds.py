"""Lower bounds on the bytes that a pool needs; they hold for every planner."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from itertools import accumulate

from msgspec import Struct

from forebay.planning.contract.conflicts import conflict_sets
from forebay.planning.model.buffer import Buffer
from forebay.planning.model.problem import Problem
from forebay.pools import ByteRange, Pool

CLIQUE_WORK = 2_000_000
"""Maximum number of neighbour visits of the clique bound on a general conflict graph."""


class Bound(Struct, frozen=True):
    """A lower bound: no plan of the pool ends below `bytes`.

    `argument` names the reason, `buffers` are the buffers that need the bytes, and `tick` is the
    program point where they are live together, if there is one.
    """

    bytes: int
    argument: str
    buffers: tuple[str, ...] = ()
    tick: int | None = None


def lower_bound(problem: Problem, pool: Pool, names: Iterable[str] | None = None) -> Bound:
    """Return the best of the cheap bounds on the peak of a pool that holds the named buffers.

    Without `names`, the bound covers the buffers whose only candidate is this pool.
    """
    if names is None:
        chosen = [b for b in problem.buffers if b.pools == (pool.name,)]
    else:
        chosen = [problem.buffer_by_name[name] for name in names]
    if not chosen:
        return Bound(0, "the pool is empty")
    bounds = [_one_buffer(problem, pool, chosen)]
    bounds += [
        _live_bytes(problem, pool, [b for b in chosen if problem.alignment_in(b, pool) >= floor])
        for floor in sorted({problem.alignment_in(b, pool) for b in chosen})
    ]
    if problem.conflicts:
        bounds.append(_clique(problem, pool, chosen))
    return max(bounds, key=lambda bound: bound.bytes)


def end_of_stack(pool: Pool, sizes: Sequence[int], alignment: int) -> int:
    """Return the lowest possible end, in bytes, of buffers that are all live at the same time.

    Each buffer is aligned to `alignment` or more. In each gap between reserved ranges, every
    buffer except the topmost one takes its size rounded up: two buffers of 10 bytes aligned to 16
    end at 26. The padding of the topmost buffer may overlap the reserved range above it.
    Therefore each gap is extended by the largest padding of the buffers that fit in the gap.

    ::

        alignment 16, [26, 32) reserved: a and b of 10 bytes, c of 8
        0          10     16         26     32       40
        |aaaaaaaaaa|......|bbbbbbbbbb|######|cccccccc|   the padding of b is [26, 32)
    """
    left = sum(_round_up(size, alignment) for size in sizes)
    if not left:
        return pool.align(pool.start, alignment)
    ascending = sorted(sizes)
    padding = list(accumulate((_round_up(s, alignment) - s for s in ascending), max))
    position = pool.align(pool.start, alignment)
    for start, end in sorted(pool.reserved):
        fitting = bisect_right(ascending, start - position)
        if fitting:
            most = padding[fitting - 1]
            holds = (start - position + most) // alignment * alignment
            if left <= holds:
                return position + left - most
            left -= holds
        position = max(position, pool.align(end, alignment))
    return position + left - padding[-1]


def _one_buffer(problem: Problem, pool: Pool, buffers: Sequence[Buffer]) -> Bound:
    """Return the highest end that a single buffer forces.

    A pinned buffer ends at its pinned offset plus its size. Any other buffer lies above the
    reserved ranges that leave no space for it below.
    """
    bounds: list[Bound] = []
    for buffer in buffers:
        size = problem.taken_in(buffer, pool)
        alignment = problem.alignment_in(buffer, pool)
        offset = problem.pin_of(buffer)
        why = "pinned offset" if offset is not None else "largest buffer"
        if offset is None:
            offset = pool.align(pool.start, alignment) + buffer.block_offset
            for reserved in sorted(pool.reserved):
                if ByteRange(offset, offset + size).overlaps(reserved):
                    offset = pool.align(reserved.end, alignment)
        bounds.append(Bound(offset + size, why, (buffer.name,)))
    return max(bounds, key=lambda bound: bound.bytes)


def _live_bytes(problem: Problem, pool: Pool, buffers: Sequence[Buffer]) -> Bound:
    """Return the bound from the tick with the most live bytes.

    Sizes are rounded up to the smallest alignment among the buffers.
    """
    alignment = min(problem.alignment_in(b, pool) for b in buffers)
    sizes = {b.name: problem.taken_in(b, pool) for b in buffers}
    always = [b for b in buffers if b.always_live]
    timed = [b for b in buffers if not b.always_live and b.lifetime]
    tick, most = _busiest_tick(timed, sizes, alignment)
    live = [b for b in timed if any(start <= tick < end for start, end in b.lifetime)]
    live = _one_per_group(always + live, sizes)
    if not live:
        return Bound(0, "nothing is live")
    end = end_of_stack(pool, [sizes[b.name] for b in live], alignment)
    names = tuple(b.name for b in live)
    return Bound(end, "live bytes", names, tick if most else None)


def _busiest_tick(
    buffers: Sequence[Buffer], sizes: dict[str, int], alignment: int
) -> tuple[int, int]:
    """Return the tick with the most live bytes and their number; the earliest tick on a tie."""
    events: list[tuple[int, int, int]] = []
    for index, buffer in enumerate(buffers):
        for start, end in buffer.lifetime:
            events.append((start, 1, index))
            events.append((end, 0, index))
    events.sort()
    total, best = 0, (0, 0)
    groups: dict[str, list[int]] = {}
    slack: list[tuple[int, int]] = []
    alive: set[int] = set()
    for position, (tick, begins, index) in enumerate(events):
        buffer = buffers[index]
        rounded = _round_up(sizes[buffer.name], alignment)
        sign = 1 if begins else -1
        if buffer.alias is None:
            total += sign * rounded
        else:
            group = groups.setdefault(buffer.alias, [])
            before = max(group, default=0)
            group.append(rounded) if begins else group.remove(rounded)
            total += max(group, default=0) - before
        if begins:
            alive.add(index)
            heappush(slack, (sizes[buffer.name] - rounded, index))
        else:
            alive.discard(index)
        if position + 1 < len(events) and events[position + 1][0] == tick:
            continue
        while slack and slack[0][1] not in alive:
            heappop(slack)
        saved = -slack[0][0] if slack else 0
        if total - saved > best[1]:
            best = (tick, total - saved)
    return best


def _clique(problem: Problem, pool: Pool, buffers: Sequence[Buffer]) -> Bound:
    """Return the bound from the heaviest clique in the conflict graph.

    One clique is grown greedily from each buffer until the work limit is reached.
    """
    sizes = {b.name: problem.taken_in(b, pool) for b in buffers}
    alignments = {b.name: problem.alignment_in(b, pool) for b in buffers}
    heaviest_first = sorted(sizes, key=lambda name: (-sizes[name], name))
    conflicts = conflict_sets(problem, sizes)
    best, work = Bound(0, "nothing is live"), 0
    for seed in heaviest_first:
        clique, common = [seed], conflicts[seed]
        for name in heaviest_first:
            if name in common:
                clique.append(name)
                common = common & conflicts[name]
                work += len(common)
            work += 1
        lowest = min(alignments[name] for name in clique)
        end = end_of_stack(pool, [sizes[name] for name in clique], lowest)
        if end > best.bytes:
            best = Bound(end, "clique of conflicts", tuple(clique))
        if work > CLIQUE_WORK:
            break
    return best


def _one_per_group(buffers: Iterable[Buffer], sizes: dict[str, int]) -> list[Buffer]:
    """Return the buffers with each alias group reduced to its largest member."""
    largest: dict[str, Buffer] = {}
    for buffer in buffers:
        key = buffer.name if buffer.alias is None else f"alias {buffer.alias}"
        if key not in largest or sizes[buffer.name] > sizes[largest[key].name]:
            largest[key] = buffer
    return list(largest.values())


def _round_up(value: int, alignment: int) -> int:
    return -(-value // alignment) * alignment
