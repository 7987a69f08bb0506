"""Rigid blocks in the exact search: at a chosen offset their members are pinned items.

Rows of an image die from the first to the last one, so a block at the top of the pool leaves bytes
that grow into its dead rows, and a block at the bottom leaves two parts::

    |######## rows of the image ########|          |          |   at the bottom
    |          |######## rows of the image ########|              at the top, below the height

The search tries both, and the offsets of the best greedy placement.
"""

from __future__ import annotations

from collections.abc import Iterator

from forebay.planning.search.items import CandidatePool, Item, Items
from forebay.planning.search.stack import NO_PIN, Ints, Stack


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
