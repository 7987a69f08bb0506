"""Claims about runs of points, judged by enumeration."""

from __future__ import annotations

import math

import pytest

pytest.importorskip("hypothesis")

from common.programs import loop_nests
from hypothesis import given, settings
from hypothesis import strategies as st

from forebay.regions import Affine, Box, Span
from forebay.regions.runs import bounds_of, distance_over, is_dense, runs_over

BOXES = loop_nests.boxes_in((5, 6))
EXPRESSIONS = loop_nests.expressions([0, 1], 2)
claim = settings(max_examples=200, deadline=None, derandomize=True)


@claim
@given(BOXES, st.lists(EXPRESSIONS, min_size=1, max_size=3))
def test_runs_are_all_points_of_the_group(box, expressions):
    expected = sorted(tuple(e.at(point) for e in expressions) for point in box.points())
    found = [
        tuple(p.first + p.step * u for p in run)
        for run in runs_over(box, frozenset({0, 1}), expressions)
        for u in range(run[0].count)
    ]
    assert sorted(found) == expected


@claim
@given(BOXES, EXPRESSIONS)
def test_bounds_contain_all_values_and_are_reached_without_quotients(box, expression):
    values = [expression.at(point) for point in box.points()]
    bounds, around = bounds_of(expression, box), Span(min(values), max(values) + 1)
    assert bounds.contains(around)
    if expression.is_linear:
        assert bounds == around
        assert is_dense(expression, box) == (len(set(values)) == around.size)


@claim
@given(BOXES, EXPRESSIONS)
def test_the_distance_divides_all_differences(box, expression):
    values = {expression.at(point) for point in box.points()}
    apart = math.gcd(*(value - min(values) for value in values))
    distance = distance_over(expression, box)
    assert distance == apart if not distance else apart % distance == 0
    if expression.is_linear:
        assert distance == apart


def test_the_kernel_is_enumerated_and_not_the_image():
    y, ky = Affine.dimension(0), Affine.dimension(1)
    runs = list(runs_over(Box.of((1 << 30, 3)), frozenset({0, 1}), [y * 2 + ky - 1]))
    assert [(run[0].first, run[0].step) for run in runs] == [(-1, 2), (0, 2), (1, 2)]
