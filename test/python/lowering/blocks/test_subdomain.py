"""Parts of the domain of a nest with windows of 3x3 points in 25 rows of 5 columns."""

from __future__ import annotations

from forebay.ir.memory.linear import Linear
from forebay.lowering.blocks.subdomain import Subdomain

Y, X, KY, KX = range(4)
AXES = [
    (Linear({Y: 1, KY: 1}, -1), 25),
    (Linear({X: 1, KX: 1}, -1), 5),
]
COUNTERS = [range(25), range(5), range(3), range(3)]


def whole() -> Subdomain:
    return Subdomain(AXES, COUNTERS, [2, 1, 1, 3], 2, ())


def test_both_loops_of_a_window_are_clamped_somewhere() -> None:
    assert (whole().blocks, whole().splits(Y), whole().splits(X)) == ((2, 1, 1, 1), True, True)


def test_inside_of_all_borders_no_loop_is_clamped() -> None:
    inside = whole().inside(Y, range(1, 23)).inside(X, range(1, 4))
    assert not inside.clamps(KY) and not inside.clamps(KX)
    assert inside.blocks == (2, 1, 1, 3)


def test_rows_outside_still_have_columns_inside() -> None:
    """A window that leaves the rows has all of its columns, if those are inside."""
    outside = whole().one_by_one(Y)
    assert outside.clamps(KY) and outside.splits(X)
    assert outside.inside(X, range(1, 4)).blocks == (1, 1, 1, 3)


def test_columns_outside_have_single_steps() -> None:
    inside = whole().inside(Y, range(1, 23)).one_by_one(X)
    assert inside.clamps(KX) and not inside.splits(X)
    assert inside.blocks == (2, 1, 1, 1)


def test_positions_of_the_first_dimension_change_fastest() -> None:
    """Elements that only the last dimension selects are used one after the other."""
    blocks = Subdomain(AXES, COUNTERS, [2, 3, 1, 3], 2, ()).inside(Y, range(1, 23))
    inside = blocks.inside(X, range(1, 4))
    first = [{X: 0, Y: 0}, {X: 0, Y: 1}, {X: 1, Y: 0}, {X: 1, Y: 1}]
    assert inside.positions()[:4] == first
    assert len(inside.positions()) == 6
    assert inside.one_by_one(Y).one_by_one(X).positions() == [{}]
