"""Pools and offsets together."""

from __future__ import annotations

from collections.abc import Sequence

from forebay.planning.exact import lowest
from forebay.planning.items import Items, Room
from forebay.planning.plan import ProvedBound
from forebay.planning.planner import Proof
from forebay.planning.stacks import stacks_of


def place_jointly(items: Items, steps: int) -> Proof:
    """The cheapest plan found, pools as low as found; raises `PlanInfeasibleError`."""
    return place_assigned(items, [item.rooms[0] for item in items.all], steps)


def place_assigned(items: Items, rooms: Sequence[Room], steps: int) -> Proof:
    """Each pool's stack as low as possible, given a room for each item."""
    offsets = [0] * len(items.all)
    proved: list[ProvedBound] = []
    for _, stack in stacks_of(items, rooms):
        answer = lowest(stack, steps)
        proved.append(ProvedBound(stack.pool.name, answer.proved, answer.argument))
        for member, offset in zip(stack.members, answer.offsets.tolist(), strict=True):
            offsets[member] = offset
    return Proof(items.placements(rooms, offsets), tuple(proved))
