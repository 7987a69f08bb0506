"""The order of the elements of a constant with interleaved channels."""

import numpy as np

from forebay.ir.interleaved import Interleaving, interleave


def test_elements_of_neighbouring_channels_are_neighbours() -> None:
    values = np.array([[0, 1, 2], [10, 11, 12], [20, 21, 22], [30, 31, 32]], np.int8)
    found = interleave(values, Interleaving(2))
    assert found.shape == (4, 3)
    assert found.ravel().tolist() == [0, 10, 1, 11, 2, 12, 20, 30, 21, 31, 22, 32]


def test_all_axes_behind_the_first_are_one_run() -> None:
    values = np.arange(24, dtype=np.int8).reshape(2, 3, 4)
    assert interleave(values, Interleaving(2)).ravel()[:6].tolist() == [0, 12, 1, 13, 2, 14]


def test_one_channel_has_the_order_of_the_model() -> None:
    values = np.arange(6, dtype=np.int8).reshape(2, 3)
    np.testing.assert_array_equal(interleave(values, Interleaving(1)), values)
