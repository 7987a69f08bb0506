"""The lowest placement of a stack within a work limit: greedy first, then exact search."""

from __future__ import annotations

from msgspec import Struct

from forebay.planning.contract.bounds import Bound
from forebay.planning.contract.feasible import shortage
from forebay.planning.core.library import available
from forebay.planning.search.blocks import block_offsets, with_pinned_blocks
from forebay.planning.search.pack import pack
from forebay.planning.search.stack import Ints, Stack
from forebay.planning.search.stacks import best_order, bound_of, end_of

CONFLICTS = 1_000_000
"""Maximum number of conflicts for the exact search.

Larger stacks use the greedy orders only.
"""


class LowestOffsets(Struct, frozen=True):
    """Offsets, and a proved lower bound on their highest end in bytes."""

    offsets: Ints
    proved: int
    argument: str


def lowest_offsets(stack: Stack, steps: int, enough: int = 0) -> LowestOffsets:
    """Return the lowest placement found, or the first one that ends at or below `enough`.

    `steps` limits the exact search. Raises `PlanInfeasibleError` when the placement exceeds the
    capacity.
    """
    bound = bound_of(stack)
    goal = max(bound.bytes, enough)
    offsets = best_order(stack, goal)
    proved, argument = bound.bytes, bound.argument
    end, capacity = end_of(stack, offsets), stack.pool.capacity
    if end > goal and available() and stack.has_blocks:
        offsets = _around_blocks(stack, offsets, goal, steps)
        end = end_of(stack, offsets)
    elif end > goal and available() and int(stack.degrees.sum()) <= 2 * CONFLICTS:
        limit = end if capacity is None else min(end, capacity + 1)
        packed = pack(stack, goal, limit, steps)
        if packed.proved > goal:
            proved, argument = min(packed.proved, end), "exhaustive search"
        if packed.offsets is not None:
            offsets, end = packed.offsets, end_of(stack, packed.offsets)
    if capacity is not None and end > capacity:
        raise _excess(stack, bound, end, proved)
    return LowestOffsets(offsets, min(proved, end), argument)


def _around_blocks(stack: Stack, offsets: Ints, goal: int, steps: int) -> Ints:
    """Return the lowest placement found with the blocks at a few offsets, or the one given."""
    if not stack.linear:
        return offsets
    choices = list(block_offsets(stack, offsets, goal))
    for choice in choices:
        end = end_of(stack, offsets)
        pinned = with_pinned_blocks(stack, choice)
        if end <= goal or pinned is None or int(pinned.degrees.sum()) > 2 * CONFLICTS:
            continue
        free = [p for p in range(len(stack.members)) if p not in choice]
        found = best_order(pinned, goal)
        if end_of(pinned, found) > goal:
            packed = pack(pinned, goal, min(end, end_of(pinned, found)), steps // len(choices))
            found = found if packed.offsets is None else packed.offsets
        if end_of(pinned, found) < end:
            offsets = offsets.copy()
            offsets[free] = found[: len(free)]
            for position, offset in choice.items():
                offsets[position] = offset
    return offsets


def _excess(stack: Stack, bound: Bound, end: int, proved: int) -> Exception:
    impossible = proved > (stack.pool.capacity or 0)
    needed = Bound(proved if impossible else end, bound.argument, bound.buffers, bound.tick)
    return shortage(stack.items.problem, stack.pool, needed, proved=impossible)
