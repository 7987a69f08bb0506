"""The order of the elements of a constant with interleaved channels."""

import numpy as np
import pytest
from mlir import ir
from mlir.dialects import memref

from forebay.ir.interleaved import (
    Interleaving,
    extended,
    interleave,
    interleaving_of,
    set_interleaving,
)


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


def test_the_elements_of_a_word_stay_neighbours() -> None:
    values = np.array([[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23], [30, 31, 32, 33]])
    found = interleave(values, Interleaving(2, 2))
    assert found.shape == (4, 4)
    assert found.ravel().tolist() == [0, 1, 10, 11, 2, 3, 12, 13, 20, 21, 30, 31, 22, 23, 32, 33]


def test_a_word_may_reach_into_the_next_row() -> None:
    values = np.arange(24).reshape(2, 4, 3)
    assert interleave(values, Interleaving(2, 4)).ravel()[:8].tolist() == [
        0,
        1,
        2,
        3,
        *range(12, 16),
    ]


@pytest.mark.parametrize(
    ("shape", "order", "fits"),
    [
        ((16, 3, 4), Interleaving(8, 4), True),
        ((16, 3, 4), Interleaving(8, 8), False),
        ((12, 3, 4), Interleaving(8, 4), False),
        ((8,), Interleaving(8), True),
        ((8,), Interleaving(8, 4), False),
        ((), Interleaving(), True),
        ((), Interleaving(2), False),
    ],
)
def test_an_order_fits_whole_channels_and_words(
    shape: tuple[int, ...], order: Interleaving, *, fits: bool
) -> None:
    values = np.zeros(shape, np.int8)
    assert order.fits(shape) == fits
    if fits and shape:
        assert interleave(values, order).shape == shape
    elif shape:
        with pytest.raises(ValueError, match="reshape"):
            interleave(values, order)


@pytest.mark.parametrize("order", [Interleaving(), Interleaving(8), Interleaving(16, 4)])
def test_the_attributes_of_a_constant_have_its_order(order: Interleaving) -> None:
    text = 'memref.global "private" constant @w : memref<16x8xi8> = dense<1>'
    with ir.Context():
        (op,) = ir.Module.parse(text).body.operations
        assert isinstance(op, memref.GlobalOp)
        if order:
            set_interleaving(op, order)
        assert interleaving_of(op) == order
        assert ("accel.interleaved_word" in op.attributes) == (order.word > 1)


def test_more_elements_than_in_the_model_are_zeros_or_the_same_again() -> None:
    values = np.array([[1, 2, 3], [4, 5, 6]], np.int8)
    zeros = extended(values, (2, 5), repeats=False)
    assert zeros.tolist() == [[1, 2, 3, 0, 0], [4, 5, 6, 0, 0]]
    assert extended(values, (2, 5), repeats=True).tolist() == [[1, 2, 3, 1, 2], [4, 5, 6, 4, 5]]
    assert extended(values, (3, 3), repeats=True).tolist() == [[1, 2, 3], [4, 5, 6], [1, 2, 3]]
    assert zeros.dtype == np.int8
