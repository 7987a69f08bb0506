"""The orders in which a greedy planner can place the items of a stack, by name.

Sources: size and conflicts from TVM USMP; start from IREE's LayoutSlices; duration, area, pressure
and total from MiniMalloc (Moffitt, ASPLOS 2024). Further keys break ties.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from forebay.planning.search.sections import sections
from forebay.planning.search.stack import Ints, Stack


def orders() -> Mapping[str, Callable[[Stack], Ints]]:
    """Return the order functions by name; each maps a stack to an order of its positions."""
    return {
        "size": by_size,
        "start": by_start,
        "given": as_given,
        "area": by_area,
        "duration": by_duration,
        "conflicts": by_conflicts,
        "conflicts x size": by_conflicts_and_size,
        "end": by_end,
        "duration, size": by_duration_and_size,
        "duration x area": by_duration_and_area,
        "size, duration": by_size_and_duration,
        "pressure": by_pressure,
        "padding": by_padding,
    }


def as_given(stack: Stack) -> Ints:
    """Return the order of the problem."""
    return np.arange(len(stack.members))


def by_usmp_size(stack: Stack) -> Ints:
    """Return TVM's order: largest first, then most conflicts, then the last name."""
    return _descending(stack, stack.sizes, stack.degrees, _names(stack))


def by_usmp_conflicts(stack: Stack) -> Ints:
    """Return TVM's order: most conflicts first, then largest, then the last name."""
    return _descending(stack, stack.degrees, stack.sizes, _names(stack))


def by_size(stack: Stack) -> Ints:
    """Return the order with the largest first."""
    return _descending(stack, stack.sizes)


def by_size_and_duration(stack: Stack) -> Ints:
    """Return the order with the largest first, then the longest lifetime."""
    return _descending(stack, stack.sizes, stack.spans)


def by_area(stack: Stack) -> Ints:
    """Return the order with the largest product of bytes and ticks first, then the largest."""
    return _descending(stack, stack.sizes.astype(float) * stack.spans, stack.sizes)


def by_duration(stack: Stack) -> Ints:
    """Return the order with the longest lifetime first."""
    return _descending(stack, stack.spans)


def by_duration_and_size(stack: Stack) -> Ints:
    """Return the order with the longest lifetime first, then the largest, then the earliest."""
    return _descending(stack, stack.spans, stack.sizes, -stack.starts)


def by_conflicts(stack: Stack) -> Ints:
    """Return the order with the most conflicts first, then the largest."""
    return _descending(stack, stack.degrees, stack.sizes)


def by_conflicts_and_size(stack: Stack) -> Ints:
    """Return the order with the largest product of conflicts and bytes first, then the largest."""
    return _descending(stack, stack.degrees * stack.sizes.astype(float), stack.sizes)


def by_start(stack: Stack) -> Ints:
    """Return the execution order, then the largest first."""
    return np.lexsort((np.arange(len(stack.members)), -stack.sizes, stack.starts))


def by_end(stack: Stack) -> Ints:
    """Return the reverse execution order (last end first), then the largest first."""
    return np.lexsort((np.arange(len(stack.members)), -stack.sizes, -stack.ends))


def by_duration_and_area(stack: Stack) -> Ints:
    """Return the order with the largest product of squared duration and size first."""
    return _descending(stack, stack.spans.astype(float) ** 2 * stack.sizes, -stack.starts)


def by_pressure(stack: Stack) -> Ints:
    """Return the order by the most live bytes during each item's lifetime, highest first.

    Ties are broken by the longest lifetime.
    """
    totals = np.zeros(len(stack.members))
    for clique in sections(stack):
        total = float(stack.sizes[clique].sum())
        totals[clique] = np.maximum(totals[clique], total)
    return _descending(stack, totals, stack.spans, stack.sizes, -stack.starts)


def by_padding(stack: Stack) -> Ints:
    """Return the order with the largest alignment first, then the least padding.

    Items that would waste the most bytes below others are placed on top. The order is optimal for
    buffers of one alignment that are all live at the same time, as constants are.
    """
    padding = -stack.sizes % stack.alignments
    return _descending(stack, stack.alignments, -padding, stack.sizes)


def _descending(stack: Stack, *keys: NDArray[np.number]) -> Ints:
    negated = [-key.astype(float) for key in reversed(keys)]
    return np.lexsort((np.arange(len(stack.members)), *negated))


def _names(stack: Stack) -> Ints:
    """Return the alphabetical rank of each item's name."""
    names = [stack.item(position).members[0] for position in range(len(stack.members))]
    return np.argsort(np.argsort(names, kind="stable"), kind="stable")
