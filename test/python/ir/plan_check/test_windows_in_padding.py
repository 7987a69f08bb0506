"""Windows wholly or partly in padding: accepted by the plan check, with the interpreter's bits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common.conv_layer import Layer
from common.oracles.operands import interpret
from common.padded_layers import text_of

import forebay

ROWS = {"input_rows": ["arg0"]}
BEHIND = Layer((8, 7), 5, 5, kernel=(1, 1), stride=(3, 2), pad=(0, 2, 5, 1))
"""The last window of its rows begins behind the last row, the first ones of columns before them."""
OUTSIDE = Layer((10, 2), 13, 1, kernel=(3, 2), pad=(1, 1, 2, 1), dilation=(1, 4), depthwise=True)
"""Both columns of its kernel are in padding."""
APART = Layer((5, 8), 3, 5, kernel=(3, 3), stride=(2, 1), pad=(2, 6, 1, 0), dilation=(4, 2))
"""Rows 0, 2 and 4 are read, the others never."""
ODD = Layer((9, 10), 6, 1, kernel=(3, 2), stride=(1, 2), pad=(1, 4, 2, 5), dilation=(4, 2), batch=2)
"""The last windows begin behind the last column, whose distance to them is odd."""
BEFORE = (
    Layer((10, 3), 14, 3, kernel=(3, 4), stride=(3, 1), pad=(0, 1, 6, 1), dilation=(2, 1)),
    Layer((3, 7), 3, 3, kernel=(3, 2), stride=(1, 3), pad=(1, 1, 2, 2), dilation=(2, 1)),
)
"""The result is columns, of which the first one needs no row of its source."""
BELOW = (
    Layer((9, 1), 6, 3, kernel=(2, 1), pad=(2, 1, 2, 0), dilation=(1, 3), depthwise=True),
    Layer((11, 3), 18, 3, kernel=(1, 1), pad=(0, 3, 4, 0)),
)
"""The last rows of the result need no row of their source."""
TALL = Layer((1, 9), 7, 1, kernel=(4, 4), pad=(1, 5, 0, 3), dilation=(2, 1), depthwise=True)
"""A padded copy has several rows where the source has only columns."""


@pytest.mark.parametrize(
    ("layers", "options"),
    [
        pytest.param((BEHIND,), ROWS, id="rows behind the input"),
        pytest.param((OUTSIDE,), {**ROWS, "budget": "min"}, id="no column inside"),
        pytest.param((APART,), ROWS, id="rows that are never read"),
        pytest.param((ODD,), {"cpu": "cortex-m4"}, id="dilated columns behind the input"),
        pytest.param((TALL,), {**ROWS, "budget": "min", "cpu": "cortex-a76"}, id="columns as rows"),
        pytest.param(BEFORE, {"budget": "min"}, id="columns before the source"),
        pytest.param(BELOW, {"budget": "min"}, id="rows behind the source"),
        pytest.param(BELOW, {"budget": "min", "cpu": "cascadelake"}, id="rows of vectors"),
    ],
)
def test_the_plan_is_accepted_with_the_bits_of_the_interpreter(
    layers: tuple[Layer, ...], options: dict[str, Any], tmp_path: Path
) -> None:
    text, source = text_of(*layers), layers[0].source()
    (tmp_path / "net.mlir").write_text(text)
    compiled = forebay.compile(tmp_path / "net.mlir", **options)
    (expected,) = interpret(text, [source])
    assert len(np.unique(expected)) > 1
    for engine in ("c", "emulator"):
        np.testing.assert_array_equal(compiled.run(source, engine=engine), expected)


def test_rows_that_are_never_read_do_not_wait_in_the_pool(tmp_path: Path) -> None:
    """Three of the five rows of 24 bytes live together."""
    (tmp_path / "net.mlir").write_text(text_of(APART))
    compiled = forebay.compile(tmp_path / "net.mlir", budget="min", **ROWS)
    assert compiled.plan.peak("workspace") == 3 * 24
