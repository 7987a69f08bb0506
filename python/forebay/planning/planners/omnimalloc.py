"""The package omnimalloc as a planner; it is an optional extra."""

from __future__ import annotations

from typing import Any

import numpy as np

from forebay.planning.contract.extras import import_extra
from forebay.planning.contract.planner import Answer, Planner
from forebay.planning.model.errors import UnsupportedProblemError
from forebay.planning.model.problem import Problem
from forebay.planning.search.items import items_of
from forebay.planning.search.stack import NO_PIN, Ints, Stack
from forebay.planning.search.stacks import place_stacks


class Omnimalloc(Planner):
    """omnimalloc's portfolio of greedy orders, `omni`, whose result is the same in every run.

    The exact allocator of omnimalloc is not available here, because its result depends on threads
    and wall-clock time. Each buffer is placed in its first candidate pool. omnimalloc does not
    support alignment, so sizes are rounded up to the largest alignment in the pool. Raises
    `UnsupportedProblemError` for several lifetime intervals per buffer, for explicit conflicts and
    for pinned offsets that are not multiples of that alignment.
    """

    name = "omnimalloc"

    def _place(self, problem: Problem) -> Answer:
        allocators = import_extra("omnimalloc.allocators", self.name)
        allocation = import_extra("omnimalloc.primitives", self.name).Allocation
        items = items_of(problem)
        candidates = [item.candidates[0] for item in items.all]
        return place_stacks(
            items,
            candidates,
            lambda stack: _place_stack(stack, allocators.OmniAllocator(), allocation),
        )


def _place_stack(stack: Stack, allocator: Any, allocation: Any) -> Ints:
    """Place the items of one pool.

    Offsets are passed to omnimalloc in units of the largest alignment, counted from the first
    aligned offset of the pool.
    """
    if not stack.linear:
        raise UnsupportedProblemError(
            f"planner 'omnimalloc' takes one life per buffer and no explicit conflicts, unlike "
            f"pool '{stack.pool.name}'; try 'auto'"
        )
    unit = int(stack.alignments.max(initial=1))
    first = stack.pool.align(stack.pool.start, unit)
    # An item that is always live begins at -1.
    begins, ends = ((ticks + 1).tolist() for ticks in stack.lives)
    asked = [
        allocation(position, -(-size // unit), begins[position], ends[position], offset)
        for position, (size, offset) in enumerate(
            zip(stack.sizes.tolist(), _pins(stack, unit, first), strict=True)
        )
    ]
    span = min(begins, default=0), max(ends, default=1)
    for number, (start, end) in enumerate(stack.reserved.tolist()):
        low, high = max(0, (start - first) // unit), -(-(end - first) // unit)
        if low < high:
            asked.append(allocation(len(stack.members) + number, high - low, *span, low))
    placed = {a.id: first + a.offset * unit for a in allocator.allocate(tuple(asked))}
    return np.array([placed[position] for position in range(len(stack.members))], np.int64)


def _pins(stack: Stack, unit: int, first: int) -> list[int | None]:
    """Return the pinned offset of each item in units, or None if it has none."""
    pins: list[int | None] = []
    for pin in stack.pins.tolist():
        if pin != NO_PIN and (pin < first or (pin - first) % unit):
            raise UnsupportedProblemError(
                f"planner 'omnimalloc' places in steps of {unit} bytes, the largest alignment in "
                f"pool '{stack.pool.name}', and a buffer there is pinned to {pin:,}; try 'auto'"
            )
        pins.append(None if pin == NO_PIN else (pin - first) // unit)
    return pins
