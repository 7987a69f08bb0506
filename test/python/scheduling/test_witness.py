"""A plan that grows by longer lifetimes and copies, one buffer at a time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from forebay.planning import Buffer, Interval, Pool, Problem, plan
from forebay.scheduling.witness import Witness

A = Buffer("a", 16, (Interval(0, 2),), ("p",))
B = Buffer("b", 16, (Interval(2, 4),), ("p",))


def witness(*buffers: Buffer, capacity: int = 48) -> Witness:
    return Witness(plan(Problem((Pool("p", capacity=capacity),), buffers), "greedy-by-size"))


@pytest.mark.parametrize(("more", "fits"), [(0, True), (1, True), (2, True), (3, False)])
def test_copies_take_room_beside_the_buffer(more: int, fits: bool) -> None:
    """Three of 16 bytes fill 48."""
    assert witness(A).admits({0: A}, {0: more}) is fits


def test_copies_that_were_admitted_stay() -> None:
    found = witness(A, B)
    assert found.admits({0: A}, {0: 2})
    assert not found.admits({1: replace(B, lifetime=(Interval(1, 4),))}, {1: 0})
    assert found.admits({1: B}, {1: 2})


def test_a_refused_request_leaves_nothing_behind() -> None:
    found = witness(A, B)
    assert not found.admits({0: A}, {0: 3})
    assert not found.admits({0: A, 1: B}, {0: 1, 1: 3})
    assert found.admits({0: A}, {0: 2})
    assert found.admits({1: B}, {1: 2})


def test_a_buffer_moves_out_of_the_way_in_all_its_intervals() -> None:
    """`b` is live twice; in `[4, 6)`, `c` has its bytes, and only one offset is free in both."""
    twice = replace(B, lifetime=(Interval(2, 4), Interval(6, 8)))
    c = Buffer("c", 16, (Interval(4, 6),), ("p",))
    longer = replace(B, lifetime=(Interval(2, 5), Interval(6, 8)))
    assert witness(twice, c, capacity=32).admits({0: longer}, {0: 0})
    assert not witness(twice, c, capacity=16).admits({0: longer}, {0: 0})
