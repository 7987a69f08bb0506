"""Smaller tiles at the ends of a loop: sizes, and where they are."""

from __future__ import annotations

import pytest

from forebay.regions import Span
from forebay.tiling.end_tiles import EndTiles, shrinking_sizes, spans_with_ends


def sizes(span: int, size: int, ends: EndTiles, multiple: int = 1) -> list[int]:
    """The sizes of tiles, which are one behind the other and cover the span."""
    found = spans_with_ends(Span(0, span), size, ends, multiple)
    assert [s.start for s in found[1:]] == [s.stop for s in found[:-1]]
    assert (found[0].start, found[-1].stop) == (0, span)
    return [s.size for s in found]


def test_each_tile_is_a_part_of_the_one_before() -> None:
    found = list(shrinking_sizes(27, 1))
    assert found[:3] == [(18,), (18, 12), (18, 12, 8)]
    assert (13, 6, 3, 1) in found
    assert list(shrinking_sizes(64, 16)) == [(32,), (32, 16), (32,), (32, 16)]
    assert list(shrinking_sizes(16, 16)) == []


def test_tiles_between_the_ends_are_even() -> None:
    assert sizes(100, 40, EndTiles((10,), (20, 10))) == [10, 30, 30, 20, 10]
    assert sizes(100, 40, EndTiles()) == [40, 40, 20]


@pytest.mark.parametrize("span", [97, 98, 104])
def test_all_tiles_but_the_last_are_multiples(span: int) -> None:
    found = sizes(span, 32, EndTiles((8,), (16, 8)), 8)
    assert all(size % 8 == 0 for size in found[:-1])
    assert max(found) <= 32


def test_a_span_that_the_ends_would_fill_has_even_tiles() -> None:
    assert sizes(30, 16, EndTiles((8,), (16, 8))) == [16, 14]
