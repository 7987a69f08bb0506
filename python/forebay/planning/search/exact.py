"""The lowest placement of a stack within a work limit: greedy first, then exact search.

In the exact search, the members of a rigid block at a chosen offset are pinned items. Rows of an
image die from the first to the last one, so a block at the top of the pool leaves bytes that grow
into its dead rows, and a block at the bottom leaves two parts::

    |######## rows of the image ########|          |          |   at the bottom
    |          |######## rows of the image ########|              at the top, below the height

The search tries both, and the offsets of the best greedy placement.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from forebay.planning.contract.bounds import Bound
from forebay.planning.contract.feasible import shortage
from forebay.planning.core.library import available
from forebay.planning.search.items import CandidatePool, Item, Items
from forebay.planning.search.pack import pack
from forebay.planning.search.stack import NO_PIN, Ints, Stack
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


def block_offsets(stack: Stack, greedy: Ints, height: int) -> Iterator[dict[int, int]]:
    """Yield offsets of the blocks of a stack by position, the most promising first."""
    blocks = [p for p in range(len(stack.members)) if stack.item(p).pieces]
    pool = stack.pool
    from_below: dict[int, int] = {}
    from_above: dict[int, int] = {}
    low, high = pool.start, height
    for position in blocks:
        candidate = stack.candidates[position]
        if stack.pins[position] != NO_PIN:
            from_below[position] = from_above[position] = int(stack.pins[position])
            continue
        from_below[position] = pool.align(low, candidate.alignment)
        low = from_below[position] + candidate.size
        top = high - candidate.size
        above = pool.align(top, candidate.alignment)
        high = above if above <= top else above - candidate.alignment
        from_above[position] = high
    by_greedy = {position: int(greedy[position]) for position in blocks}
    found = [choice for choice in (from_above, from_below) if min(choice.values()) >= pool.start]
    yield from (choice for n, choice in enumerate([*found, by_greedy]) if choice not in found[:n])


def with_pinned_blocks(stack: Stack, offsets: dict[int, int]) -> Stack | None:
    """Return the stack with the members of blocks as items that are pinned; None if they collide.

    The items of blocks come last; the others keep their order.
    """
    others = [p for p in range(len(stack.members)) if p not in offsets]
    items = [stack.item(p) for p in others]
    candidates = [stack.candidates[p] for p in others]
    for position, offset in offsets.items():
        block, whole = stack.item(position), stack.candidates[position]
        for name, piece in zip(block.members, block.pieces, strict=True):
            candidate = CandidatePool(whole.pool, piece.high - piece.low, 1, 0)
            items.append(
                Item((name,), piece.lifetime, (candidate,), offset + piece.low, block.always_live)
            )
            candidates.append(candidate)
    pinned = Items(stack.items.problem, tuple(items))
    made = Stack(pinned, stack.pool, tuple(range(len(items))), tuple(candidates))
    return None if _collide(made, len(others)) else made


def _collide(stack: Stack, first: int) -> bool:
    """Return whether pinned items from a position on overlap while both are live."""
    taken: dict[int, tuple[int, int]] = {}
    for position in range(first, len(stack.members)):
        low = int(stack.pins[position])
        taken[position] = low, low + int(stack.sizes[position])
        for reserved in stack.reserved.tolist():
            if taken[position][0] < reserved[1] and reserved[0] < taken[position][1]:
                return True
    begins, ends = stack.lives
    order = sorted(taken, key=taken.__getitem__)
    open_: list[int] = []
    for position in order:
        low = taken[position][0]
        open_ = [other for other in open_ if taken[other][1] > low]
        if any(
            begins[other] < ends[position] and begins[position] < ends[other] for other in open_
        ):
            return True
        open_.append(position)
    return False


def _excess(stack: Stack, bound: Bound, end: int, proved: int) -> Exception:
    impossible = proved > (stack.pool.capacity or 0)
    needed = Bound(proved if impossible else end, bound.argument, bound.buffers, bound.tick)
    return shortage(stack.items.problem, stack.pool, needed, proved=impossible)
