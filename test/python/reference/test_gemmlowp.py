"""Fixed-point functions against exact numbers."""

import math
from fractions import Fraction

import numpy as np
import pytest

from forebay.reference.gemmlowp import (
    divide_by_power_of_two,
    exp_of_negative,
    high_multiply,
    one_over_one_plus,
    shift_left,
)

LEAST, LARGEST = -(2**31), 2**31 - 1
EDGES = np.array([0, 1, -1, 2**30, -(2**30), 2**15, -(2**15), LARGEST, LEAST, 12345, -54321])


def test_products_are_rounded_to_the_nearest() -> None:
    a, b = (x.ravel() for x in np.meshgrid(EDGES, EDGES))
    for x, y, found in zip(a, b, high_multiply(a, b), strict=True):
        exact = Fraction(int(x) * int(y), 2**31)
        assert abs(exact - int(found)) <= Fraction(1, 2) or (x, y, found) == (LEAST, LEAST, LARGEST)


def test_the_only_product_that_does_not_fit_is_saturated() -> None:
    assert high_multiply(LEAST, LEAST) == LARGEST


@pytest.mark.parametrize(
    ("value", "exponent", "expected"),
    [(5, 1, 3), (-5, 1, -3), (4, 1, 2), (7, 0, 7), (-7, 2, -2), (-6, 2, -2), (5, 2, 1), (6, 2, 2)],
)
def test_halves_of_quotients_round_away_from_zero(value: int, exponent: int, expected: int) -> None:
    assert divide_by_power_of_two(np.array([value]), exponent).tolist() == [expected]


def test_exp_is_near_the_exact_one() -> None:
    values = -np.concatenate([np.arange(0, 2**26, 2**18), np.arange(2**26, 2**31, 2**25)])
    found = exp_of_negative(values) / 2.0**31
    exact = np.array([math.exp(v / 2.0**26) for v in values])
    assert np.abs(found - exact).max() < 3e-7
    assert exp_of_negative(np.array([0])).tolist() == [LARGEST]


def test_reciprocals_are_near_the_exact_ones() -> None:
    values = np.arange(0, 2**31, 2**22)
    exact = 1 / (1 + values / 2.0**31)
    assert np.abs(one_over_one_plus(values) / 2.0**31 - exact).max() < 1e-8


def test_shifts_saturate() -> None:
    found = shift_left(np.array([1, 2**30, -(2**30), -(2**31)]), 1)
    assert found.tolist() == [2, LARGEST, LEAST, LEAST]
