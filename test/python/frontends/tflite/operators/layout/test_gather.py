from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Op, T, single
from common.tflite_engines import assert_all_equal_micro, assert_all_give


@pytest.mark.parametrize("dtype", ["float32", "int8"])
@pytest.mark.parametrize(("axis", "batches"), [(0, 0), (1, 0), (-1, 0), (1, 1), (2, 1)])
def test_gather(dtype: str, axis: int, batches: int, tmp_path: Path) -> None:
    x = np.random.default_rng(1).integers(-100, 100, (2, 5, 6)).astype(dtype)
    size = x.shape[axis]
    numbers = np.random.default_rng(2).integers(0, size, (2, 3)).astype(np.int32)
    if batches:
        shape = (*x.shape[:axis], 3, *x.shape[axis + 1 :])
    else:
        shape = np.take(x, numbers, axis).shape
    tensors = [T(x.shape, dtype), T((2, 3), "int32"), T(shape, dtype)]
    op = Op("GATHER", [0, 1], [2], "GatherOptions", {"Axis": axis, "BatchDims": batches})
    assert_all_equal_micro(single(op, tensors), tmp_path, x, numbers)


def test_gather_nd(tmp_path: Path) -> None:
    x = np.random.default_rng(1).standard_normal((3, 4, 5)).astype(np.float32)
    numbers = np.array([[[0, 3], [2, 1]], [[1, 1], [2, 3]], [[0, 0], [1, 2]]], np.int32)
    tensors = [T(x.shape, "float32"), T(numbers.shape, "int32"), T((3, 2, 5), "float32")]
    assert_all_equal_micro(single(Op("GATHER_ND", [0, 1], [2]), tensors), tmp_path, x, numbers)


def test_embedding_lookup(tmp_path: Path) -> None:
    x = np.random.default_rng(1).standard_normal((7, 4)).astype(np.float32)
    numbers = np.array([6, 0, 3], np.int32)
    tensors = [T((3,), "int32"), T(x.shape, "float32"), T((3, 4), "float32")]
    file = single(Op("EMBEDDING_LOOKUP", [0, 1], [2]), tensors)
    assert_all_give(file, tmp_path, [numbers, x], [x[numbers]])


def test_an_index_outside_reads_the_nearest_row(tmp_path: Path) -> None:
    tensors = [T((3, 2), "float32"), T((2,), "int32"), T((2, 2), "float32")]
    file = single(Op("GATHER", [0, 1], [2], "GatherOptions"), tensors)
    x = np.arange(6, dtype=np.float32).reshape(3, 2)
    assert_all_give(file, tmp_path, [x, np.array([-9, 7], np.int32)], [x[[0, 2]]])
