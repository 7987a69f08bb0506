"""What is known of integers holds for all of them: forms against every value, by brute force."""

from __future__ import annotations

import math
import random
from itertools import product

import pytest

from forebay.ir.plan_check.integers.numbers import (
    LinearForm,
    Numbers,
    anything,
    number,
)


def test_an_unknown_cancels_and_a_rest_does_not() -> None:
    numbers = Numbers()
    unknown, rest = numbers.unknown(0, 9), anything(0, 9)
    assert unknown.minus(unknown) == number(0)._replace(is_data=True)
    assert numbers.upper(rest.minus(rest)) == 9


def test_a_cut_tile_ends_where_its_buffer_does() -> None:
    """`i + min(6, 16 - i)` for i = 0, 6, 12 never exceeds 16; ranges alone would say 18."""
    numbers = Numbers()
    i, trip = numbers.counter(number(0), number(16), number(6))
    numbers.limit(trip, 0, 2)
    size = numbers.least([number(6), number(16).minus(i)])
    assert (numbers.lower(size), numbers.upper(size)) == (4, 6)
    assert numbers.upper(i.plus(size)) == 16


def test_a_loop_with_an_end_that_is_not_known_stays_below_it() -> None:
    numbers = Numbers()
    end = numbers.least([numbers.unknown(), number(8)])
    i, trip = numbers.counter(number(0), end, number(1))
    numbers.limit(trip, 0, math.inf)
    assert numbers.upper(i) == 7
    assert numbers.upper(i.minus(end)) == -1


@pytest.mark.parametrize(
    ("ends", "trips"), [((0, 0), (0, 0)), ((1, 7), (1, 2)), ((-3, 13), (0, 3))]
)
def test_trips(ends: tuple[int, int], trips: tuple[int, int]) -> None:
    """With a step of 6 from 0."""
    numbers = Numbers()
    assert numbers.trips(number(0), numbers.unknown(*ends), number(6)) == trips


def test_forgetting_keeps_range_and_step() -> None:
    numbers = Numbers()
    old, new = numbers.unknown(0, 3), numbers.unknown(1, 5)
    form = old.plus(new.times(16)).plus(number(4))
    forgotten = numbers.forget(form, 1)
    assert forgotten == LinearForm(((0, 1),), 20, 84, 16, is_data=True)
    assert numbers.forget(form, 0, but=1).terms == ((1, 16),)


@pytest.mark.parametrize("seed", range(300))
def test_bounds_hold_for_every_value(seed: int) -> None:
    """Random expressions over three unknowns, with all values that the expressions have."""
    rng = random.Random(seed)
    numbers = Numbers()
    ranges = [(low := rng.randint(-4, 4), low + rng.randint(0, 4)) for _ in range(3)]
    grid = list(product(*(range(low, high + 1) for low, high in ranges)))
    forms = [numbers.unknown(*bounds) for bounds in ranges]
    seen = [[point[n] for point in grid] for n in range(3)]
    for _ in range(7):
        one, two = rng.choices(range(len(forms)), k=2)
        factor = rng.choice([-3, -1, 2, 4])
        divisor = rng.choice([1, 2, 3, 8])
        a, b, x, y = forms[one], forms[two], seen[one], seen[two]
        made = {
            "plus": (a.plus(b), [p + q for p, q in zip(x, y, strict=True)]),
            "minus": (a.minus(b), [p - q for p, q in zip(x, y, strict=True)]),
            "times": (a.times(factor), [p * factor for p in x]),
            "product": (numbers.product(a, b), [p * q for p, q in zip(x, y, strict=True)]),
            "least": (numbers.least([a, b]), list(map(min, x, y))),
            "greatest": (numbers.greatest([a, b]), list(map(max, x, y))),
            "quotient": (numbers.quotient(a, number(divisor)), [p // divisor for p in x]),
            "truncated": (
                numbers.truncated(a, number(divisor)),
                [abs(p) // divisor * (1 if p >= 0 else -1) for p in x],
            ),
            "remainder": (
                numbers.remainder(a, number(divisor)),
                [int(math.fmod(p, divisor)) for p in x],
            ),
            "either": (numbers.either(a, b), x if rng.random() < 0.5 else y),
            "forgotten": (numbers.forget(a, rng.randint(0, 3)), x),
        }
        form, values = made[rng.choice(sorted(made))]
        forms.append(form)
        seen.append(values)
        assert numbers.lower(form) <= min(values)
        assert max(values) <= numbers.upper(form)
        for by in (2, 3, 4, 8):
            assert not form.is_multiple_of(by) or all(v % by == 0 for v in values)
        for other, known in zip(forms, seen, strict=True):
            apart = [p - q for p, q in zip(values, known, strict=True)]
            assert max(apart) <= numbers.upper(form.minus(other))


@pytest.mark.parametrize("seed", range(200))
def test_a_loop_below_a_quotient_stays_below_its_dividend(seed: int) -> None:
    """Windows of dilated convolutions: `for k = max(low, 0) to min((c - s * y) / d, n)`."""
    rng = random.Random(seed)
    numbers = Numbers()
    height, stride, dilation = rng.randint(1, 12), rng.randint(1, 3), rng.randint(1, 4)
    top, size, kernel = rng.randint(-8, 8), rng.randint(1, 12), rng.randint(1, 4)
    ahead = rng.randint(-2, 1)
    y, row = numbers.counter(number(0), number(height), number(1))
    numbers.limit(row, 0, height - 1)
    dividend = number(size - top + dilation - 1).minus(y.times(stride))
    quotient = numbers.truncated(dividend, number(dilation)).plus(number(ahead))
    end = numbers.least([quotient, number(kernel)])
    first = numbers.greatest([number(top).minus(y), number(0)])
    k, trip = numbers.counter(first, end, number(1))
    numbers.limit(trip, 0, max(numbers.trips(first, end, number(1))[1] - 1, 0))
    index = y.times(stride).plus(k.times(dilation)).plus(number(top))
    seen = [
        v * stride + w * dilation + top
        for v in range(height)
        for w in range(
            max(top - v, 0),
            min(int((size - top + dilation - 1 - v * stride) / dilation) + ahead, kernel),
        )
    ]
    if seen:
        assert numbers.lower(index) <= min(seen) and max(seen) <= numbers.upper(index)
    if seen and ahead <= 0:
        assert numbers.upper(index) < size + ahead * dilation


def test_a_form_within_a_range_equals_itself() -> None:
    numbers = Numbers()
    row = numbers.unknown(-3, 9)
    inside = numbers.within(row, 0, 4)
    assert (numbers.lower(inside), numbers.upper(inside)) == (0, 4)
    assert numbers.lower(inside.minus(row)) == 0 == numbers.upper(inside.minus(row))
    assert numbers.within(inside, 0, 4) is inside
