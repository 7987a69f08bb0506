"""Runs of tiles along a dimension that one loop can compute: equal sizes, and no border inside.

tiles       0   1   2   3   4   5        The windows of the first and of the last tile reach
windows   |-    |   |   |   |    -|      over a border, so that tiles 1 to 4 are a run. The last
run             |---------------|        tile may be smaller than the others, too.
"""

from __future__ import annotations

from collections.abc import Sequence

from forebay.regions import Box, LoopNest, PointSet, Span

_LEAST = 3
"""The least number of tiles of a loop."""


def regular_runs(
    nest: LoopNest, box: Box, dimension: int, spans: Sequence[Span], ends: int
) -> Sequence[Sequence[Span]]:
    """Return the tiles in order, with those of a loop together and each of the others alone.

    `spans` are consecutive tiles along a dimension in a box of the domain; `ends` tiles at either
    end are in no loop.
    """
    inner = spans[ends : len(spans) - ends]
    regular = [
        span
        for span in inner
        if span.size == spans[0].size
        and _is_inside(nest, box.with_span(dimension, span), dimension)
    ]
    if len(regular) < _LEAST or not _is_periodic(nest, dimension, spans[0].size):
        return [[span] for span in spans]
    if regular[-1].stop - regular[0].start != len(regular) * spans[0].size:
        return [[span] for span in spans]
    before = [[span] for span in spans if span.start < regular[0].start]
    behind = [[span] for span in spans if span.start > regular[-1].start]
    return [*before, regular, *behind]


def _is_inside(nest: LoopNest, box: Box, dimension: int) -> bool:
    """Return whether no window that moves along a dimension is beyond its operand in a box."""
    points = PointSet(box)
    return all(
        Span(0, size).contains(points.values(index))
        for access in nest.inputs
        if access.clamped
        for index, size in zip(access.index, access.shape, strict=True)
        if dimension in index.dimensions
    )


def _is_periodic(nest: LoopNest, dimension: int, step: int) -> bool:
    """Return whether each step moves all windows by the same number of elements."""
    accesses = (*nest.inputs, *nest.outputs)
    return all(step % e.period(dimension) == 0 for access in accesses for e in access.index)
