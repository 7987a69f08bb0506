"""The first byte that two accesses share, against sets of numbers."""

from __future__ import annotations

import random

from forebay.emulator.machine.overlap import first_common
from forebay.emulator.memory.footprint import Footprint


def test_columns_of_the_same_rows_share_nothing() -> None:
    left, right = Footprint.of_axes([(3, 16)], 8), Footprint.of_axes([(3, 16)], 8)
    assert first_common((0, left), (8, right)) is None
    assert first_common((0, left), (7, right)) == 7


def test_accesses_without_bytes_share_nothing() -> None:
    none, some = Footprint.of_axes([(0, 1)], 4), Footprint.of_axes([], 4)
    assert first_common((0, none), (0, some)) is None
    assert first_common((0, some), (0, none)) is None


def test_random_accesses_share_the_bytes_that_both_have() -> None:
    hits = 0
    for seed in range(400):
        draw = random.Random(seed)
        one, other = (
            (draw.randrange(30), [(draw.randrange(1, 4), draw.randrange(1, 12))]) for _ in range(2)
        )
        width = draw.randrange(1, 3)
        found = first_common(
            (one[0], Footprint.of_axes(one[1], width)),
            (other[0], Footprint.of_axes(other[1], width)),
        )
        shared = _bytes(*one, width) & _bytes(*other, width)
        hits += bool(shared)
        assert found == (min(shared) if shared else None)
    assert 50 < hits < 350


def _bytes(at: int, axes: list[tuple[int, int]], width: int) -> set[int]:
    ((count, step),) = axes
    return {at + i * step + j for i in range(count) for j in range(width)}
