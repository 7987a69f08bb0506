"""Claims about cuts into tiles, judged by sets of elements."""

from __future__ import annotations

import pytest

pytest.importorskip("hypothesis")

from common.programs import loop_nests
from hypothesis import given, settings
from hypothesis import strategies as st

from forebay.regions import Box, even_sizes, first_overlap, is_partition, tiles, uncovered

SHAPE = (5, 4, 3)
BOXES = loop_nests.boxes_in(SHAPE)
claim = settings(max_examples=100, deadline=None, derandomize=True)


@claim
@given(BOXES, st.tuples(*[st.integers(1, 6)] * 3), st.permutations(range(3)))
def test_tiles_are_a_partition(box, sizes, order):
    parts = list(tiles(box, sizes, order))
    elements = [element for part in parts for element in part.points()]
    assert sorted(elements) == sorted(box.points())
    assert is_partition(box, parts)
    assert all(p <= s for part in parts for p, s in zip(part.sizes, sizes, strict=True))
    begins = [tuple(part.offsets[d] for d in order) for part in parts]
    assert begins == sorted(begins)


@claim
@given(st.lists(BOXES, max_size=5))
def test_an_overlap_is_found_if_there_is_one(boxes):
    sets = [set(box.points()) for box in boxes]
    pairs = {(i, j) for j in range(len(sets)) for i in range(j) if sets[i] & sets[j]}
    found = first_overlap(boxes)
    assert found in pairs if pairs else found is None


@claim
@given(BOXES, st.lists(BOXES, max_size=4))
def test_uncovered_boxes_are_the_rest(box, parts):
    rest = [element for left in uncovered(box, parts) for element in left.points()]
    covered = {element for part in parts for element in part.points()}
    assert sorted(rest) == sorted(set(box.points()) - covered)
    inside = [p for p in parts if box.contains(p)]
    total = [element for part in inside for element in part.points()]
    assert is_partition(box, inside) == (sorted(total) == sorted(box.points()))


def test_a_part_outside_is_no_partition():
    assert not is_partition(Box.of((2,)), [Box.at((1,), (2,))])


def test_even_sizes_are_the_least_for_each_number_of_tiles():
    assert even_sizes(10) == (10, 5, 4, 3, 2, 1)
    assert even_sizes(40, 16) == (40, 32, 16)
    assert even_sizes(48, 16) == (48, 32, 16)
    assert even_sizes(1) == (1,)


@pytest.mark.slow
def test_many_tiles_are_checked_without_comparing_all_pairs():
    box = Box.of((300, 300))
    assert is_partition(box, list(tiles(box, (1, 3))))
