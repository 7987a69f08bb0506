from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Op, T, constant, single
from common.tflite_engines import assert_all_equal_micro
from mlir import ir

from forebay.frontends.errors import MalformedModel
from forebay.frontends.tflite import import_model


def update(starts: T, block: tuple[int, ...], dtype: str = "int8") -> bytes:
    scale = 0.1 if dtype == "int8" else None
    tensors = [
        T((4, 5, 3), dtype, scale),
        T(block, dtype, scale),
        starts,
        T((4, 5, 3), dtype, scale),
    ]
    return single(Op("DYNAMIC_UPDATE_SLICE", [0, 1, 2], [3], version=1), tensors)


def values(dtype: str) -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    return [rng.integers(-99, 99, s).astype(dtype) for s in ((4, 5, 3), (2, 3, 3))]


@pytest.mark.parametrize("dtype", ["int8", "float32"])
@pytest.mark.parametrize("index", ["int32", "int64"])
@pytest.mark.parametrize("start", [(0, 0, 0), (1, 2, 0), (-3, 99, 1)])
def test_a_start_at_run_time(
    dtype: str, index: str, start: tuple[int, ...], tmp_path: Path
) -> None:
    file = update(T((3,), index), (2, 3, 3), dtype)
    assert_all_equal_micro(file, tmp_path, *values(dtype), np.array(start, index))


@pytest.mark.parametrize("start", [(0, 0, 0), (2, 1, 0), (-3, 99, 1)])
def test_a_constant_start(start: tuple[int, ...], tmp_path: Path) -> None:
    assert_all_equal_micro(update(constant(start), (2, 3, 3)), tmp_path, *values("int8"))


def test_an_update_that_is_too_large_is_refused() -> None:
    with ir.Context(), pytest.raises(MalformedModel, match=r"an update of \[2, 6, 3\] in"):
        import_model(update(T((3,), "int32"), (2, 6, 3)))
