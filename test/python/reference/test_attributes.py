from __future__ import annotations

import numpy as np
import pytest
from mlir import ir

from forebay.reference.attributes import elements_of


@pytest.mark.parametrize("truth", [False, True])
@pytest.mark.parametrize("shape", [(1,), (9,), (16,), (7, 5, 4)])
def test_booleans_of_one_value(truth: bool, shape: tuple[int, ...]) -> None:
    with ir.Context(), ir.Location.unknown():
        attribute = ir.DenseElementsAttr.get(np.full(shape, truth))
        elements = elements_of(attribute, attribute.type, None)
    np.testing.assert_array_equal(elements, np.full(shape, truth))


def test_booleans_of_both_values() -> None:
    values = np.random.default_rng(1).integers(0, 2, (7, 5)).astype(bool)
    with ir.Context(), ir.Location.unknown():
        attribute = ir.DenseElementsAttr.get(values)
        np.testing.assert_array_equal(elements_of(attribute, attribute.type, None), values)
