"""The fixed-point exponential, against math.exp and the limits of its format."""

from __future__ import annotations

import itertools
import math
import random

from forebay.lowering.kernels.exponential import exp_of_negative, high_product

ONE = (1 << 31) - 1


def test_it_is_the_exponential_to_twenty_bits() -> None:
    draw = random.Random(0)
    for _ in range(2000):
        x = -draw.randrange(1 << draw.randrange(1, 31))
        assert abs(exp_of_negative(x) / 2**31 - math.exp(x / 2**26)) < 2**-20


def test_zero_has_the_largest_value_and_it_falls_with_the_input() -> None:
    assert exp_of_negative(0) == ONE
    values = [exp_of_negative(-x) for x in range(0, 31 << 26, 1 << 20)]
    assert all(a >= b for a, b in itertools.pairwise(values))
    assert values[-1] == 0


def test_a_product_is_rounded_half_up() -> None:
    assert high_product(1 << 30, 1) == 1
    assert high_product(-(1 << 30), 1) == 0
    assert high_product((1 << 30) - 1, 1) == 0
    assert high_product(ONE, ONE) == ONE - 1
