"""Claims about sets of points, judged by enumeration."""

from __future__ import annotations

import pytest

pytest.importorskip("hypothesis")

from common.programs import loop_nests
from hypothesis import given, settings

from forebay.regions import Affine, Box, Constraint, PointSet, Span

claim = settings(max_examples=100, deadline=None, derandomize=True)


@claim
@given(loop_nests.nests_with_boxes())
def test_points_are_counted(case):
    nest, at = case
    points = nest.points(at)
    valid = set(loop_nests.valid_points(nest, at))
    assert points.points == len(valid)
    assert points.is_empty == (not valid)
    assert points.hull == loop_nests.hull(valid, len(at.spans))
    assert {p for p in at.points() if points.holds_at(p)} == valid


def test_a_condition_on_a_number_holds_everywhere_or_nowhere():
    box = Box.of((3,))
    assert PointSet(box, (Constraint(Affine(2), Span(0, 3)),)).points == 3
    nothing = PointSet(box, (Constraint(Affine(3), Span(0, 3)),))
    assert nothing.is_empty
    assert nothing.points == 0
    assert nothing.hull == Box.of((0,))
