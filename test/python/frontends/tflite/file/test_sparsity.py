from __future__ import annotations

import numpy as np
import pytest
from common.model_file import Graph, Op, Sparsity, T, build
from common.tflite_reference import ours
from mlir import ir

from forebay.frontends.tflite import MalformedModel, import_model

ROWS = np.array([[0, 5, 0, 0], [7, 0, 0, 9], [0, 0, 0, 0]], np.int8)
BY_ROWS = Sparsity([0, 1], [3, ([0, 1, 3, 3], [1, 0, 3])])
BY_COLUMNS = Sparsity([1, 0], [4, ([0, 1, 2, 2, 3], [1, 0, 1])])
BLOCKS = np.array([[1, 2, 0, 0], [3, 0, 0, 0], [0, 0, 0, 4], [0, 0, 5, 6]], np.int8)
BY_BLOCKS = Sparsity([0, 1, 2, 3], [2, ([0, 1, 2], [0, 1]), 2, 2], [0, 1])


def added(shape: tuple[int, ...], stored: list[int], sparsity: Sparsity) -> bytes:
    """The input plus a sparse constant, which DENSIFY expands."""
    data = np.array(stored, np.int8)
    tensors = [
        T(shape, "int8", 1.0, data=data, sparsity=sparsity),
        T(shape, "int8", 1.0),
        T(shape, "int8", 1.0),
        T(shape, "int8", 1.0),
    ]
    operators = [Op("DENSIFY", [0], [1], "DensifyOptions"), Op("ADD", [1, 2], [3], "AddOptions")]
    return build(Graph(tensors, [2], [3], operators))


@pytest.mark.parametrize(
    ("dense", "stored", "sparsity"),
    [
        (ROWS, [5, 7, 9], BY_ROWS),
        (ROWS, [7, 5, 9], BY_COLUMNS),
        (BLOCKS, [1, 2, 3, 0, 0, 4, 5, 6], BY_BLOCKS),
        (ROWS * 0, [], Sparsity([0, 1], [3, ([0, 0, 0, 0], [])])),
    ],
)
def test_stored_elements_are_placed(
    dense: np.ndarray, stored: list[int], sparsity: Sparsity
) -> None:
    (found,) = ours(added(dense.shape, stored, sparsity), [np.zeros(dense.shape, np.int8)])
    np.testing.assert_array_equal(found, dense)


@pytest.mark.parametrize(
    ("sparsity", "what"),
    [
        (Sparsity([0, 0], BY_ROWS.levels), "no order of its 2 dimensions"),
        (Sparsity([0, 1], [3, ([0, 1, 3, 3], [1, 0, 3])], [2]), "no order of its 2 dimensions"),
        (Sparsity([0, 1], BY_ROWS.levels[:1]), "no order of its 2 dimensions"),
        (Sparsity([0, 1], [3, ([0, 1, 3, 9], [1, 0, 3])]), "segments that do not fit"),
        (Sparsity([0, 1], [3, ([0, 3, 1, 3], [1, 0, 3])]), "segments that do not fit"),
        (Sparsity([0, 1], [3, ([0, 1], [1, 0, 3])]), "segments that do not fit"),
        (Sparsity([0, 1], [3, ([0, 1, 3, 3], [1, 0, 4])]), "outside of its shape"),
        (Sparsity([0, 1], [3, ([0, 1, 2, 2], [1, 0])]), "2 stored elements, but its buffer has 3"),
        (Sparsity([0, 1], [1 << 30, 4]), "a level of 1073741824 indices"),
    ],
)
def test_levels_that_do_not_fit_are_malformed(
    sparsity: Sparsity, what: str, context: ir.Context
) -> None:
    with pytest.raises(MalformedModel, match=what):
        import_model(added(ROWS.shape, [5, 7, 9], sparsity))
