"""The positions at which no window reaches over a border, and the points inside; uses no IR."""

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


def points_inside(form: Linear[int], size: int, dim: int, counters: Sequence[range]) -> range:
    """Return the points of `dim` at which an axis of a size is indexed inside.

    All other dimensions of the index have one position. The result is a part of `counters[dim]`.
    """
    points = counters[dim]
    base = form.kept(lambda d: d != dim).extremes(lambda d: (counters[d][0], counters[d][-1]))[0]
    inside = [point for point in points if 0 <= base + form.factor(dim) * point < size]
    return range(inside[0], inside[-1] + 1) if inside else range(points.start, points.start)
