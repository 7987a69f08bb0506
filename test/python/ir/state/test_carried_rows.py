"""The rows of a variable that last: as an attribute, as indices and as a shape."""

from __future__ import annotations

import numpy as np
from mlir import ir
from mlir.dialects import memref

from forebay.ir.state.carried_rows import CarriedRows, carried_rows_of, set_carried_rows


def test_rows_are_read_as_they_were_written() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse('memref.global "private" @s : memref<2x5x3xi8>')
        [variable] = module.body.operations
        assert isinstance(variable, memref.GlobalOp)
        assert carried_rows_of(variable) is None
        set_carried_rows(variable, CarriedRows(1, 2, 3))
        assert carried_rows_of(variable) == CarriedRows(1, 2, 3)


def test_the_indices_are_those_along_the_axis() -> None:
    whole = np.arange(30).reshape(2, 5, 3)
    rows = CarriedRows(1, 2, 3)
    np.testing.assert_array_equal(whole[rows.indices], whole[:, 2:5])
    assert rows.shape([2, 5, 3]) == [2, 3, 3]
