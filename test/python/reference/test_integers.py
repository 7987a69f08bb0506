"""Integer arithmetic against Python's integers, which have no width."""

from fractions import Fraction
from math import floor

import numpy as np
import pytest

from forebay.reference.integers import (
    apply_scale_16,
    apply_scale_32,
    divide_to_zero,
    leading_zeros,
)

EDGES = [0, 1, -1, 2, -2, 3, 7, -7, 2**31 - 1, -(2**31), 2**30, -(2**30), 12345, -54321]


def test_division_rounds_toward_zero() -> None:
    a, b = (np.array(x) for x in np.meshgrid(EDGES, EDGES))
    with np.errstate(divide="ignore"):
        found = divide_to_zero(a.ravel(), b.ravel())
    for one, other, quotient in zip(a.flat, b.flat, found, strict=True):
        assert quotient == (int(Fraction(int(one), int(other))) if other else 0)


@pytest.mark.parametrize("double_round", [False, True])
def test_scaling_of_32_bits(double_round: bool) -> None:
    rng = np.random.default_rng(1)
    values = np.array([*EDGES, *rng.integers(-(2**31), 2**31, 500)])
    factors, shifts = rng.integers(2**30, 2**31, len(values)), rng.integers(2, 63, len(values))
    found = apply_scale_32(values, factors, shifts, double_round=double_round)
    for v, m, s, result in zip(values, factors, shifts, found, strict=True):
        nudge = (2**30 if v >= 0 else -(2**30)) if double_round and s > 31 else 0
        exact = Fraction(int(v) * int(m) + nudge, 2 ** int(s)) + Fraction(1, 2)
        assert result == floor(exact)


def test_scaling_of_48_bits_rounds_half_up() -> None:
    values = np.array([2**47 - 1, -(2**47), 3, -3])
    found = apply_scale_16(values, np.int64(2**14 + 1), np.int64(15))
    assert found.tolist() == [
        floor(Fraction(int(v) * (2**14 + 1), 2**15) + Fraction(1, 2)) for v in values
    ]


def test_leading_zeros() -> None:
    values = np.array([0, 1, 2, 255, 2**31, 2**32 - 1], np.uint32)
    assert leading_zeros(values, 32).tolist() == [32, 31, 30, 24, 0, 0]
