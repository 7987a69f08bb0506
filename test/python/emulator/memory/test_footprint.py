"""Sets of bytes as strided ranges, against sets of numbers."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from forebay.emulator.memory.faults import TooLargeError
from forebay.emulator.memory.footprint import MOST_POINTS, Footprint


def bytes_of(footprint: Footprint, at: int = 200) -> set[int]:
    marks = np.zeros(1000, np.bool_)
    footprint.put(marks, at, 1)
    return {int(n) - at for n in np.flatnonzero(marks)}


def sums_of(axes: list[tuple[int, int]], width: int) -> set[int]:
    starts = {
        sum(i * step for i, (_, step) in zip(indices, axes, strict=True))
        for indices in itertools.product(*(range(count) for count, _ in axes))
    }
    return {start + j for start in starts for j in range(width)}


def test_rows_of_a_buffer_are_one_axis() -> None:
    rows = Footprint.of_axes([(3, 16), (4, 1)], 1)
    assert (rows.first, rows.axes, rows.width) == (0, ((3, 16),), 4)
    assert rows.size == 12
    assert rows.span == (0, 36)


def test_neighbours_without_a_gap_are_merged() -> None:
    assert Footprint.of_axes([(2, 12), (3, 4), (2, 2)], 2).axes == ()
    assert Footprint.of_axes([(2, 12), (3, 4), (2, 2)], 2).width == 24


def test_any_axes_are_the_sums_of_their_steps() -> None:
    for seed in range(300):
        draw = random.Random(seed)
        axes = [(draw.randrange(4), draw.randrange(-9, 10)) for _ in range(draw.randrange(4))]
        width = draw.randrange(1, 4)
        footprint, wanted = Footprint.of_axes(axes, width), sums_of(axes, width)
        assert bytes_of(footprint) == wanted
        if footprint.scattered is None or footprint.width == 1:
            assert footprint.size == len(wanted)
        if wanted:
            assert footprint.span == (min(wanted), max(wanted) + 1)
        assert bytes_of(footprint.moved(7)) == {byte + 7 for byte in wanted}


def test_any_parts_are_the_sums_of_their_offsets() -> None:
    for seed in range(300):
        draw = random.Random(seed)
        parts = [
            np.array([draw.randrange(20) for _ in range(draw.randrange(1, 4))], np.int64)
            for _ in range(draw.randrange(1, 3))
        ]
        footprint = Footprint.of(parts, 1)
        wanted = {sum(map(int, chosen)) for chosen in itertools.product(*parts)}
        assert bytes_of(footprint) == wanted
        assert footprint.size == len(wanted)


def test_a_position_among_the_taken_bytes_has_an_offset() -> None:
    memory = np.arange(1000)
    for footprint in (
        Footprint.of_axes([(3, 16), (4, 1)], 1),
        Footprint.of([np.array([0, 3, 10], np.int64)], 2),
    ):
        taken = footprint.take(memory, 200).ravel()
        offsets = [footprint.offset_of(position) for position in range(footprint.size)]
        assert [200 + offset for offset in offsets] == taken.tolist()


def test_an_empty_axis_or_part_has_no_bytes() -> None:
    assert Footprint.of_axes([(0, 4), (3, 1)], 4).size == 0
    assert Footprint.of([np.array([], np.int64)], 4).size == 0


def test_overlapping_sums_that_are_too_many_are_refused() -> None:
    with pytest.raises(TooLargeError, match="is more than the 134,217,728"):
        Footprint.of_axes([(MOST_POINTS, 1), (2, 1)], 1)
