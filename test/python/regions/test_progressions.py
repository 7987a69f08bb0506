"""Claims about arithmetic progressions, judged by Python's sets of numbers."""

from __future__ import annotations

import pytest

pytest.importorskip("hypothesis")

from hypothesis import given, settings
from hypothesis import strategies as st

from forebay.regions import Span
from forebay.regions.progressions import Progression, distinct_numbers, hull_of

PROGRESSIONS = st.builds(Progression, st.integers(-9, 9), st.integers(-4, 4), st.integers(1, 12))
claim = settings(max_examples=200, deadline=None, derandomize=True)


def numbers(progression):
    return [progression.first + progression.step * u for u in range(progression.count)]


@claim
@given(st.lists(PROGRESSIONS, min_size=1, max_size=4))
def test_hull_and_number_are_those_of_the_union(progressions):
    union = {number for p in progressions for number in numbers(p)}
    hull = hull_of(progressions)
    assert hull == Span(min(union), max(union) + 1)
    assert distinct_numbers(progressions, hull) == len(union)


@claim
@given(PROGRESSIONS, st.integers(-12, 12), st.integers(1, 9))
def test_the_steps_inside_a_span_are_consecutive(progression, start, size):
    span = Span(start, start + size)
    inside = [u for u, n in enumerate(numbers(progression)) if start <= n < start + size]
    found = progression.steps_inside(span)
    assert list(range(found.start, found.stop)) == inside
    if inside:
        assert numbers(progression.part(found)) == [numbers(progression)[u] for u in inside]
