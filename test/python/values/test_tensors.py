"""Which elements of two arrays differ: integers exactly, floats beyond a tolerance."""

from __future__ import annotations

import numpy as np
import pytest

from forebay.values.tensors import Layout, differing_elements, tolerance_of


def test_integers_differ_by_any_bit() -> None:
    found = differing_elements(np.array([1, 2, -3], np.int8), np.array([1, 3, 3], np.int8))
    assert found.tolist() == [False, True, True]


def test_floats_may_differ_by_a_part_of_the_largest_magnitude() -> None:
    wanted = np.array([1000.0, 0.0, -5.0], np.float32)
    found = wanted + np.array([0.009, 0.009, 0.02], np.float32)
    assert tolerance_of(wanted) == pytest.approx(0.01)
    assert differing_elements(found, wanted).tolist() == [False, False, True]


def test_infinities_do_not_widen_the_tolerance_and_must_be_equal() -> None:
    wanted = np.array([np.inf, -np.inf, 1.0], np.float32)
    assert tolerance_of(wanted) == pytest.approx(1e-5)
    found = np.array([np.inf, np.inf, 1.0], np.float32)
    assert differing_elements(found, wanted).tolist() == [False, True, False]


def test_a_nan_equals_only_a_nan() -> None:
    nan = np.array([np.nan, np.nan], np.float32)
    assert differing_elements(nan, np.array([np.nan, 0.0], np.float32)).tolist() == [False, True]


def test_an_array_without_finite_elements_has_no_tolerance() -> None:
    assert tolerance_of(np.array([], np.float32)) == 0.0
    assert tolerance_of(np.array([np.nan, np.inf], np.float32)) == 0.0


def test_the_plain_layout_is_the_order_of_the_model() -> None:
    assert Layout.plain((2, 3)).elements.tolist() == [0, 1, 2, 3, 4, 5]
    assert Layout.plain(()).elements.tolist() == [0]
