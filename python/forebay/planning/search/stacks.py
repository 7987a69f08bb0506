"""Placement of items with a fixed pool assignment: one stack per pool, planned independently."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from forebay.planning.contract.bounds import Bound, lower_bound
from forebay.planning.contract.feasible import shortage
from forebay.planning.model.plan import Placement
from forebay.planning.search.holes import first_fit
from forebay.planning.search.items import CandidatePool, Items
from forebay.planning.search.orders import orders
from forebay.planning.search.stack import Ints, Stack, stack_of

ORDER_WORK = 5 * 10**9
"""Maximum number of item pairs over all orders; a larger stack tries fewer orders."""


def stacks_of(items: Items, candidates: Sequence[CandidatePool]) -> list[tuple[int, Stack]]:
    """Return the index and the stack of each used pool, given a candidate pool for each item."""
    members: dict[int, list[int]] = {}
    for index, candidate in enumerate(candidates):
        members.setdefault(candidate.pool, []).append(index)
    return [(pool, stack_of(items, pool, members[pool])) for pool in sorted(members)]


def bound_of(stack: Stack) -> Bound:
    """Return a lower bound on the stack's highest end, in bytes."""
    names = [
        name for position in range(len(stack.members)) for name in stack.item(position).members
    ]
    return lower_bound(stack.items.problem, stack.pool, names)


def end_of(stack: Stack, offsets: Ints) -> int:
    """Return the highest end of a placement, in bytes."""
    return int((offsets + stack.sizes).max(initial=0))


def best_order(stack: Stack, lower: int) -> Ints:
    """Return the lowest first-fit placement over the orders; stop when the bound is reached."""
    best: Ints | None = None
    allowed = max(2, ORDER_WORK // (len(stack.members) ** 2 + 1))
    for order in list(orders().values())[:allowed]:
        offsets = first_fit(stack, order(stack))
        if best is None or end_of(stack, offsets) < end_of(stack, best):
            best = offsets
        if end_of(stack, best) <= lower:
            break
    if best is None:
        raise ValueError("there are no orders")
    return best


def place_stacks(
    items: Items, candidates: Sequence[CandidatePool], place: Callable[[Stack], Ints]
) -> dict[str, Placement]:
    """Place the stack of each pool with the function `place`.

    Raises `PlanInfeasibleError` when a placement exceeds the capacity of its pool.
    """
    offsets = [0] * len(items.all)
    for _, stack in stacks_of(items, candidates):
        answer = place(stack)
        refuse_excess(stack, answer)
        for member, offset in zip(stack.members, answer.tolist(), strict=True):
            offsets[member] = offset
    return items.placements(candidates, offsets)


def refuse_excess(stack: Stack, offsets: Ints) -> None:
    """Raise `PlanInfeasibleError` when the placement ends above the pool's capacity."""
    capacity, end = stack.pool.capacity, end_of(stack, offsets)
    if capacity is None or end <= capacity:
        return
    top = int((offsets + stack.sizes).argmax())
    live = [top, *stack.conflicts[top].tolist()]
    item = stack.item(top)
    names = tuple(stack.item(position).members[0] for position in live)
    bound = Bound(end, "first fit", names, item.start if item.lifetime else None)
    raise shortage(stack.items.problem, stack.pool, bound, proved=False)
