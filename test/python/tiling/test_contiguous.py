"""Runs are the maximal ranges of consecutive elements, judged by their flat indices."""

from __future__ import annotations

import itertools

import pytest

from forebay.regions import Box, Span
from forebay.tiling import contiguous_runs


def flat_ranges(box: Box, shape: tuple[int, ...]) -> list[list[int]]:
    """The flat indices of the elements, cut where they are not consecutive."""
    found: list[list[int]] = []
    for point in box.points():
        index = 0
        for at, size in zip(point, shape, strict=True):
            index = index * size + at
        if found and found[-1][-1] + 1 == index:
            found[-1].append(index)
        else:
            found.append([index])
    return found


@pytest.mark.parametrize("shape", [(6,), (3, 4), (2, 3, 4), (1, 3, 1, 2)])
def test_runs_are_the_ranges_of_consecutive_elements(shape: tuple[int, ...]) -> None:
    spans = ([Span(a, b) for a in range(n) for b in range(a + 1, n + 1)] for n in shape)
    for box in map(Box, itertools.product(*spans)):
        runs = list(contiguous_runs(box, shape))
        assert [flat_ranges(run, shape) for run in runs] == [[r] for r in flat_ranges(box, shape)]
