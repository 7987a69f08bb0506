"""Layouts: the order of axes, and blocks of them."""

from __future__ import annotations

import numpy as np
import pytest

from forebay.computations.layout import OperandLayout, common_blocks, rounded

AXES = ("columns", "depth")


def test_blocks_of_columns() -> None:
    layout = OperandLayout.of("columns/4 depth columns%4", AXES)
    elements = np.arange(6 * 3, dtype=np.int32).reshape(6, 3)
    arranged = layout.arranged(elements, {"columns": 4}, -1)
    assert arranged.shape == layout.shape({"columns": 6, "depth": 3}) == (2, 3, 4)
    for column in range(6):
        for k in range(3):
            assert arranged[column // 4, k, column % 4] == elements[column, k]
    assert (arranged[1, :, 2:] == -1).all()


def test_an_axis_that_is_blocked_elsewhere_is_filled() -> None:
    arranged = OperandLayout.dense(AXES).arranged(np.ones((2, 3), np.int8), {"depth": 4}, 7)
    assert arranged.tolist() == [[1, 1, 1, 7], [1, 1, 1, 7]]


def test_the_order_of_axes() -> None:
    elements = np.arange(6, dtype=np.int8).reshape(2, 3)
    np.testing.assert_array_equal(
        OperandLayout.of("depth columns", AXES).arranged(elements, {}, 0), elements.T
    )
    assert OperandLayout.of("columns depth", AXES).is_dense


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("columns", "axis 'depth' must be there once, as 'depth', or in blocks"),
        ("columns depth depth", "axis 'depth' must be there once"),
        ("columns/4 depth", "axis 'columns' must be there once"),
        ("columns/4 depth columns%8", "axis 'columns' must be there once"),
        ("rows columns depth", "'rows' is none of the axes columns, depth"),
        ("columns/1 depth columns%1", "'columns/1' is no part of a layout"),
        ("columns*4 depth", r"'columns\*4' is no part of a layout"),
    ],
)
def test_what_is_no_layout(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        OperandLayout.of(text, AXES)


def test_blocks_that_layouts_have_in_common() -> None:
    one, other = OperandLayout.of("columns/4 columns%4", ("columns",)), OperandLayout.dense(AXES)
    assert common_blocks([one, other]) == {"columns": 4}
    with pytest.raises(ValueError, match="axis 'columns' has blocks of 4 and of 8"):
        common_blocks([one, OperandLayout.of("columns/8 depth columns%8", AXES)])
    assert rounded({"columns": 6, "depth": 3}, {"columns": 4}) == {"columns": 8, "depth": 3}
