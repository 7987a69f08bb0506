"""Orders in which a greedy planner may place the items of a stack, by name.

Sources: size and conflicts from TVM USMP, start from IREE's LayoutSlices, duration, area, pressure
and total from MiniMalloc (Moffitt, ASPLOS 2024); each breaks ties by the next best of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from forebay.planning.search.sections import sections
from forebay.planning.search.stack import Ints, Stack


def orders() -> Mapping[str, Callable[[Stack], Ints]]:
    """Functions from a stack to an order of its positions."""
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
    """The problem's own order."""
    return np.arange(len(stack.members))


def by_usmp_size(stack: Stack) -> Ints:
    """TVM's order: largest first, then most conflicts, then the last name."""
    return _descending(stack, stack.sizes, stack.degrees, _names(stack))


def by_usmp_conflicts(stack: Stack) -> Ints:
    """TVM's order: most conflicts first, then largest, then the last name."""
    return _descending(stack, stack.degrees, stack.sizes, _names(stack))


def by_size(stack: Stack) -> Ints:
    """Largest first."""
    return _descending(stack, stack.sizes)


def by_size_and_duration(stack: Stack) -> Ints:
    """Largest first, of equals the longest life."""
    return _descending(stack, stack.sizes, stack.spans)


def by_area(stack: Stack) -> Ints:
    """Largest product of bytes and ticks first."""
    return _descending(stack, stack.sizes.astype(float) * stack.spans, stack.sizes)


def by_duration(stack: Stack) -> Ints:
    """Longest life first."""
    return _descending(stack, stack.spans)


def by_duration_and_size(stack: Stack) -> Ints:
    """Longest life first, of equals the largest, then the one that begins first."""
    return _descending(stack, stack.spans, stack.sizes, -stack.starts)


def by_conflicts(stack: Stack) -> Ints:
    """Most conflicts first, of equals the largest."""
    return _descending(stack, stack.degrees, stack.sizes)


def by_conflicts_and_size(stack: Stack) -> Ints:
    """Largest product of conflicts and bytes first."""
    return _descending(stack, stack.degrees * stack.sizes.astype(float), stack.sizes)


def by_start(stack: Stack) -> Ints:
    """Execution order, of equals the largest first."""
    return np.lexsort((np.arange(len(stack.members)), -stack.sizes, stack.starts))


def by_end(stack: Stack) -> Ints:
    """Reverse execution order, of equals the largest first."""
    return np.lexsort((np.arange(len(stack.members)), -stack.sizes, -stack.ends))


def by_duration_and_area(stack: Stack) -> Ints:
    """Long and large lives before all others: duration squared times size."""
    return _descending(stack, stack.spans.astype(float) ** 2 * stack.sizes, -stack.starts)


def by_pressure(stack: Stack) -> Ints:
    """Lives at the busiest moment first, the longest of them before the others."""
    totals = np.zeros(len(stack.members))
    for clique in sections(stack):
        total = float(stack.sizes[clique].sum())
        totals[clique] = np.maximum(totals[clique], total)
    return _descending(stack, totals, stack.spans, stack.sizes, -stack.starts)


def by_padding(stack: Stack) -> Ints:
    """Coarse alignments first, then least padding: on top lies what would waste most below others.

    Lowest for buffers of one alignment that all live at once, as constants do.
    """
    padding = -stack.sizes % stack.alignments
    return _descending(stack, stack.alignments, -padding, stack.sizes)


def _descending(stack: Stack, *keys: NDArray[np.number]) -> Ints:
    negated = [-key.astype(float) for key in reversed(keys)]
    return np.lexsort((np.arange(len(stack.members)), *negated))


def _names(stack: Stack) -> Ints:
    """Rank of each item's name in alphabetical order."""
    names = [stack.item(position).members[0] for position in range(len(stack.members))]
    return np.argsort(np.argsort(names, kind="stable"), kind="stable")
