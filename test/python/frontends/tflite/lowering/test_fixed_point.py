from __future__ import annotations

import math

import pytest

from forebay.frontends.tflite.lowering.fixed_point import (
    divide_by_power_of_two,
    high_multiply,
    logistic,
    tanh,
)

ONE_Q4 = 1 << 27
ONE_Q0 = 1 << 31


@pytest.mark.parametrize("x", [-15.9, -7.3, -1.0, -0.001, 0.0, 0.001, 0.25, 1.0, 3.7, 15.9])
def test_functions_are_close_to_the_real_ones(x: float) -> None:
    raw = round(x * ONE_Q4)
    assert logistic(raw) / ONE_Q0 == pytest.approx(1 / (1 + math.exp(-x)), abs=2e-7)
    assert tanh(raw) / ONE_Q0 == pytest.approx(math.tanh(x), abs=2e-7)


def test_logistic_of_zero_is_half() -> None:
    assert logistic(0) == 1 << 30
    assert tanh(0) == 0


def test_product_saturates_where_both_are_minus_one() -> None:
    assert high_multiply(-(1 << 31), -(1 << 31)) == (1 << 31) - 1
    assert high_multiply(-(1 << 15), -(1 << 15), bits=16) == (1 << 15) - 1
    assert high_multiply(1 << 30, 3) == 2  # 1.5, halves up
    assert high_multiply(1 << 30, -3) == -1


@pytest.mark.parametrize(("value", "result"), [(6, 2), (-6, -2), (5, 1), (-5, -1), (7, 2), (0, 0)])
def test_division_rounds_halves_away_from_zero(value: int, result: int) -> None:
    assert divide_by_power_of_two(value, 2) == result
