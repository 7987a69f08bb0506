"""Which dimensions tiles may cut so that transfers of few dimensions move their slices."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from forebay.regions import OperandAccess, induction_variables
from forebay.targets.declared.cuts import block_rank, choices, without_contained
from forebay.tiling import TileLimit

ANY, WHOLE, SINGLE = TileLimit(), TileLimit(is_whole=True), TileLimit(most=1)
SHAPE = (4, 8, 16)


def image() -> OperandAccess:
    return OperandAccess(SHAPE, tuple(induction_variables(3)))


def rank_of_slice(sizes: tuple[int, ...]) -> int:
    """The rank of a block at the beginning of an array, from the addresses of its elements.

    Beside the innermost run, it is the number of different strides that are no multiple in one.
    """
    array = np.arange(np.prod(SHAPE)).reshape(SHAPE)
    addresses = array[tuple(slice(size) for size in sizes)].ravel()
    rank = 1
    while len(addresses) > 1:
        steps = np.flatnonzero(np.diff(addresses) != addresses[1] - addresses[0])
        run = len(addresses) if not len(steps) else steps[0] + 1
        rank += rank == 1 and addresses[1] - addresses[0] != 1
        if run == len(addresses):
            return rank
        addresses, rank = addresses[::run], rank + 1
    return rank


@pytest.mark.parametrize("limits", list(itertools.product((ANY, WHOLE, SINGLE), repeat=3)))
def test_the_rank_is_that_of_the_largest_slice(limits: tuple[TileLimit, ...]) -> None:
    """An independent count on addresses, over the slices that the limits allow."""
    sizes = (
        (1,) if limit == SINGLE else (size,) if limit == WHOLE else range(2, size)
        for limit, size in zip(limits, SHAPE, strict=True)
    )
    expected = max(map(rank_of_slice, itertools.product(*sizes)))
    assert block_rank(image(), limits, SHAPE) == expected


def test_windows_of_single_positions_are_as_long_as_the_kernel() -> None:
    """Rows of 3 x 16: a single result row needs 3 rows of the image, so columns count, too."""
    y, x, ky = induction_variables(3)
    rows = OperandAccess((10, 16), (y + ky, x))
    assert block_rank(rows, (SINGLE, ANY, WHOLE), (8, 16, 3)) == 2
    assert block_rank(rows, (SINGLE, ANY, WHOLE), (10, 16, 1)) == 1


def test_a_transfer_of_two_dimensions_leaves_choices() -> None:
    """Rows and columns; rows and channels; with single rows or columns, both others."""
    found = [
        limits
        for limits in choices({image(): 2}, (ANY, ANY, ANY), SHAPE)
        if block_rank(image(), limits, SHAPE) <= 2
    ]
    expected = {(ANY, ANY, WHOLE), (ANY, WHOLE, ANY), (SINGLE, ANY, ANY), (ANY, SINGLE, ANY)}
    assert set(without_contained(found, SHAPE)) == expected


def test_what_a_transfer_moves_anyway_has_one_choice() -> None:
    assert list(choices({image(): 3}, (ANY, ANY, ANY), SHAPE)) == [(ANY, ANY, ANY)]


def test_multiples_have_no_single_points() -> None:
    blocks = TileLimit(multiple=8)
    found = {limits[2] for limits in choices({image(): 1}, (ANY, ANY, blocks), SHAPE)}
    assert found == {blocks, TileLimit(multiple=8, is_whole=True)}


def test_a_limit_is_kept_by_a_dimension_that_is_not_cut() -> None:
    """Eight columns at once are no choice for calls of at most four."""
    four = TileLimit(most=4)
    kept = {limits[1] for limits in choices({image(): 1}, (ANY, four, ANY), SHAPE)}
    assert TileLimit(most=4, is_whole=True) in kept
    assert TileLimit(most=4, is_whole=True).sizes(8) == ()


def test_equal_limits_are_there_once() -> None:
    assert without_contained([(ANY,), (ANY,), (SINGLE,)], (4,)) == [(ANY,)]
