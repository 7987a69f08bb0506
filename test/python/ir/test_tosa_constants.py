from __future__ import annotations

import numpy as np
import pytest
from mlir import ir

from forebay.frontends import tosa as emit
from forebay.ir.tosa_constants import elements_of


@pytest.mark.parametrize(
    "values",
    [
        np.full((7, 5, 4), True),
        np.full((9,), False),
        np.array([True, False, True]),
        np.full((7, 5, 4), -3, np.int8),
        np.arange(6, dtype=np.int32).reshape(2, 3),
    ],
)
def test_elements_of_a_constant(values: np.ndarray) -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            elements = elements_of(emit.tosa_constant(values))
    assert elements is not None
    np.testing.assert_array_equal(elements, values)
