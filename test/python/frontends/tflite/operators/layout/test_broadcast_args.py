from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Op, T, constant, single
from common.tflite_engines import assert_all_equal_micro


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize(
    ("a", "b"), [((4, 1, 3), (1, 5, 3)), ((3,), (2, 7, 1)), ((2, 1, 6, 1), (5, 1, 4))]
)
def test_equals_tflite_micro(
    dtype: str, a: tuple[int, ...], b: tuple[int, ...], tmp_path: Path
) -> None:
    rank = max(len(a), len(b))
    tensors = [T((len(a),), dtype), T((len(b),), dtype), T((rank,), dtype)]
    file = single(Op("BROADCAST_ARGS", [0, 1], [2]), tensors)
    (found,) = assert_all_equal_micro(file, tmp_path, np.array(a, dtype), np.array(b, dtype))
    assert tuple(found) == np.broadcast_shapes(a, b)


def test_one_shape_may_be_constant(tmp_path: Path) -> None:
    tensors = [constant((4, 1)), T((3,), "int32"), T((3,), "int32")]
    file = single(Op("BROADCAST_ARGS", [0, 1], [2]), tensors)
    assert_all_equal_micro(file, tmp_path, np.array((2, 1, 5), np.int32))
