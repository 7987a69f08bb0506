"""The hole that a greedy planner takes for an item: the arithmetic is in the comments."""

import pytest

from forebay.planning import Buffer, ByteRange, Pool, Problem, live
from forebay.planning.search.holes import first_fit, lowest_hole, smallest_hole
from forebay.planning.search.items import items_of
from forebay.planning.search.stack import whole_stack

TAKEN = [(8, 16), (32, 40), (48, 100)]
"""Holes [0, 8), [16, 32), [40, 48) and everything from 100."""


@pytest.mark.parametrize(
    ("size", "alignment", "lowest", "smallest"),
    [
        (8, 1, 0, 0),
        (9, 1, 16, 16),
        (16, 16, 16, 16),
        (17, 1, 100, 100),
        (4, 8, 0, 0),
        (4, 64, 0, 0),
        (12, 32, 128, 128),  # 16 is no multiple of 32, and [32, 40) is taken
    ],
)
def test_holes_between_ranges(size: int, alignment: int, lowest: int, smallest: int):
    pool = Pool("ram")
    assert lowest_hole(pool, TAKEN, size, alignment) == lowest
    assert smallest_hole(pool, TAKEN, size, alignment) == smallest


def test_the_smallest_hole_need_not_be_the_lowest():
    pool, taken = Pool("ram"), [(20, 30), (36, 50)]
    assert lowest_hole(pool, taken, 5, 1) == 0
    assert smallest_hole(pool, taken, 5, 1) == 30


def test_alignment_is_that_of_the_address():
    # the pool begins at address 12: offset 4 is address 16
    assert lowest_hole(Pool("ram", base=12), [], 8, 16) == 4
    assert lowest_hole(Pool("ram", start=5), [], 8, 8) == 8


def test_ranges_that_overlap_each_other_are_one():
    assert lowest_hole(Pool("ram"), [(0, 40), (4, 8), (16, 24)], 4, 1) == 40


def test_first_fit_places_pins_first_and_avoids_reserved_bytes():
    buffers = (
        Buffer("a", 6, live(0, 2), ("ram",)),
        Buffer("b", 4, live(1, 3), ("ram",)),
        Buffer("c", 4, live(2, 4), ("ram",), pinned_offset=4),
    )
    pool = Pool("ram", reserved=(ByteRange(0, 2),))
    stack = whole_stack(items_of(Problem((pool,), buffers)))
    # c stays at [4, 8); a does not meet it: [2, 8); b meets both: [8, 12)
    assert first_fit(stack, [0, 1, 2]).tolist() == [2, 8, 4]
    # b first: [8, 12), because [2, 4) is too small; a meets b only: [2, 8)
    assert first_fit(stack, [1, 0, 2]).tolist() == [2, 8, 4]
