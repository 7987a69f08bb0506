"""Claims about boxes, judged by sets of their elements."""

from __future__ import annotations

import pytest

pytest.importorskip("hypothesis")

from common.programs import loop_nests
from hypothesis import given, settings

from forebay.regions import Box, Span

BOXES = loop_nests.boxes_in((6, 4, 5))
claim = settings(max_examples=100, deadline=None, derandomize=True)


@claim
@given(BOXES, BOXES)
def test_operations_on_boxes_are_those_on_sets(one, other):
    a, b = set(one.points()), set(other.points())
    assert set(one.intersect(other).points()) == a & b
    assert one.hull(other) == loop_nests.hull(a | b, 3)
    assert one.contains(other) == (b <= a)
    assert one.elements == len(a)


@claim
@given(BOXES, BOXES)
def test_a_difference_is_disjoint_boxes_of_the_rest(one, other):
    parts = [set(part.points()) for part in one.minus(other)]
    assert all(parts)
    assert sum(map(len, parts)) == len(set(one.points()) - set(other.points()))
    assert set[tuple[int, ...]]().union(*parts) == set(one.points()) - set(other.points())


def test_only_the_new_rows_of_a_sliding_window_remain():
    window, before = Box.at((4, 0), (6, 8)), Box.at((0, 0), (6, 8))
    assert window.minus(before) == (Box.at((6, 0), (4, 8)),)


def test_empty_spans_are_equal():
    assert Span(5, 3) == Span(7, 7) == Span(0, 0)
    assert Box.at((2, 0), (2, 3)).intersect(Box.at((0, 0), (2, 3))) == Box.at((0, 0), (0, 0))


def test_bytes_are_rounded_up():
    assert Box.of((3, 3)).bytes(4) == 5
    assert Box.of(()).bytes(32) == 4
