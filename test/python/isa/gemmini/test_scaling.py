"""Scaling and shifting against exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebay.isa.gemmini.instructions import GemminiActivation
from forebay.isa.gemmini.scaling import activated, scaled_int8, shifted_int8, too_large

from .plain_gemmini import nearest_even, saturated, scaled

INT32 = st.integers(-(2**31), 2**31 - 1)


def test_ties_go_to_even() -> None:
    assert scaled_int8(np.int32([1, 3, 5, 7]), 0.5).tolist() == [0, 2, 2, 4]
    assert shifted_int8(np.int32([1, 3, 5, 7, -1, -3]), 1).tolist() == [0, 2, 2, 4, 0, -2]


@given(INT32, st.floats(2**-30, 4, width=32))
def test_a_scale_rounds_twice_as_the_hardware(value, scale) -> None:
    assert scaled_int8(np.int32([value]), scale)[0] == scaled(value, Fraction(scale))


@given(INT32, st.integers(0, 31))
def test_a_shift_rounds_once(value, shift) -> None:
    expected = saturated(nearest_even(Fraction(value, 2**shift)))
    assert shifted_int8(np.int32([value]), shift)[0] == expected


def test_the_simulator_gives_the_lowest_number_where_the_product_is_too_large() -> None:
    values = np.int32([1, 2**30])
    assert too_large(values, 2.0**40)
    assert not too_large(values, 2.0**30)
    assert scaled_int8(values, 2.0**40).tolist() == [127, -128]


@pytest.mark.parametrize(("kind", "expected"), [("NONE", [-3, 4]), ("RELU", [0, 4])])
def test_activations(kind, expected) -> None:
    assert activated(np.int8([-3, 4]), GemminiActivation[kind]).tolist() == expected
