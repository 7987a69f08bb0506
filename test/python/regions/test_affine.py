"""Claims about affine expressions, judged by evaluation in Python's integers."""

from __future__ import annotations

import pytest

pytest.importorskip("hypothesis")

from common.programs import loop_nests
from hypothesis import given, settings
from hypothesis import strategies as st

from forebay.regions import Affine, induction_variables

EXPRESSIONS = loop_nests.expressions([0, 1, 2], 2)
POINTS = st.tuples(*[st.integers(-20, 20)] * 3)
claim = settings(max_examples=100, deadline=None, derandomize=True)


@claim
@given(EXPRESSIONS, EXPRESSIONS, POINTS, st.integers(-5, 5), st.integers(1, 7))
def test_arithmetic_is_that_of_integers(one, other, point, factor, divisor):
    a, b = one.at(point), other.at(point)
    assert (one + other).at(point) == a + b
    assert (one - other).at(point) == a - b
    assert (one * factor).at(point) == a * factor
    assert (one // divisor).at(point) == a // divisor
    assert (one % divisor).at(point) == a % divisor


@claim
@given(EXPRESSIONS, POINTS, st.integers(0, 2))
def test_a_period_adds_the_same_everywhere(expression, point, d):
    period = expression.period(d)
    later = list(point)
    later[d] += period
    assert expression.at(later) - expression.at(point) == expression.growth(d, period)


@claim
@given(EXPRESSIONS, EXPRESSIONS, POINTS)
def test_substitution_is_evaluation_at_the_value(expression, value, point):
    replaced = expression.substitute({1: value})
    assert replaced.at(point) == expression.at((point[0], value.at(point), point[2]))


def test_equal_expressions_are_equal_data():
    x, y = induction_variables(2)
    assert x * 2 + y - x == y + x
    assert (x - x).dimensions == frozenset()
    assert (x * 4 + y) // 4 == x + y // 4
    assert (x * 4) % 4 == Affine()


def test_a_quotient_has_the_period_of_its_divisor_and_factor():
    (x,) = induction_variables(1)
    assert (x // 6).period(0) == 6
    assert (x * 4 // 6).period(0) == 3
    assert (x * 3 + 1).period(0) == 1


def test_division_by_zero_is_refused():
    (x,) = induction_variables(1)
    with pytest.raises(ValueError, match="an expression is divided by 0; the divisor must be"):
        _ = x // 0
