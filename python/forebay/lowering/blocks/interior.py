"""The positions of a dimension at which no window reaches over a border; uses no IR."""

from __future__ import annotations

from collections.abc import Sequence

from forebay.ir.memory.linear import Linear


def interior_of(
    dim: int, axes: Sequence[tuple[Linear[int], int]], counters: Sequence[range]
) -> range:
    """Return the positions of `dim` at which each axis is indexed inside, for all other counters.

    `axes` are the indices with their sizes, `counters` the positions of each dimension. The result
    is a part of `counters[dim]`, and empty if there is no such position.
    """
    begin, end = counters[dim].start, counters[dim].stop
    for form, size in axes:
        factor = form.factor(dim)
        if factor == 0:
            continue
        rest = form.kept(lambda d: d != dim)
        low, high = rest.extremes(lambda d: (counters[d][0], counters[d][-1]))
        # low + factor * position >= 0 and high + factor * position <= size - 1
        if factor > 0:
            begin = max(begin, -(low // factor))
            end = min(end, (size - 1 - high) // factor + 1)
        else:
            begin = max(begin, -((size - 1 - high) // -factor))
            end = min(end, low // -factor + 1)
    return range(begin, max(begin, end))
