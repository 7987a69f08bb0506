from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Op, T, single
from common.oracles.quantised_rows import asymmetric, symmetric
from common.tflite_engines import assert_all_equal_micro, assert_all_give

SCALES = {"float32": (None, None, None), "int8": (0.02, 0.03, 0.1), "int16": (1e-4, 2e-4, 1e-3)}


@pytest.mark.parametrize("dtype", list(SCALES))
@pytest.mark.parametrize("swap_a", [False, True])
@pytest.mark.parametrize("swap_b", [False, True])
def test_equals_tflite_micro(dtype: str, swap_a: bool, swap_b: bool, tmp_path: Path) -> None:
    a = (1, 3, 8, 5) if swap_a else (1, 3, 5, 8)
    b = (2, 3, 7, 8) if swap_b else (2, 3, 8, 7)
    sa, sb, so = SCALES[dtype]
    zero = 5 if dtype == "int8" else 0
    tensors = [T(a, dtype, sa, zero), T(b, dtype, sb, -zero), T((2, 3, 5, 7), dtype, so, 2 * zero)]
    fields = {"AdjX": swap_a, "AdjY": swap_b}
    file = single(Op("BATCH_MATMUL", [0, 1], [2], "BatchMatMulOptions", fields, 4), tensors)
    rng = np.random.default_rng(1)
    if dtype == "float32":
        inputs = [rng.standard_normal(s).astype(dtype) for s in (a, b)]
    else:
        info = np.iinfo(dtype)
        inputs = [rng.integers(info.min, info.max + 1, s).astype(dtype) for s in (a, b)]
    assert_all_equal_micro(file, tmp_path, *inputs)


@pytest.mark.parametrize("is_constant", [False, True])
@pytest.mark.parametrize("is_asymmetric", [False, True])
@pytest.mark.parametrize("swap", [False, True])
def test_rows_are_quantised_at_run_time_for_an_int8_operand(
    swap: bool, is_asymmetric: bool, is_constant: bool, tmp_path: Path
) -> None:
    """The rows of operand 0, which LiteRT transposes before."""
    rng = np.random.default_rng(2)
    a = (rng.standard_normal((1, 3, 5, 8)) + 0.3).astype(np.float32)
    a[0, 1, 2] = 0
    b = rng.integers(-127, 128, (2, 3, 8, 7)).astype(np.int8)
    given = [np.ascontiguousarray(x.swapaxes(2, 3)) if swap else x for x in (a, b)]
    tensors = [
        T(given[0].shape, "float32"),
        T(given[1].shape, "int8", 0.01, data=given[1] if is_constant else None),
        T((2, 3, 5, 7), "float32"),
    ]
    fields = {"AdjX": swap, "AdjY": swap, "AsymmetricQuantizeInputs": is_asymmetric}
    file = single(Op("BATCH_MATMUL", [0, 1], [2], "BatchMatMulOptions", fields, 4), tensors)
    stored, factors = (asymmetric if is_asymmetric else symmetric)(a)
    wanted = (stored @ b.astype(np.float64)) * (factors * np.float32(0.01))[..., None]
    inputs = given[:1] if is_constant else given
    assert_all_give(file, tmp_path, inputs, [wanted.astype(np.float32)])
