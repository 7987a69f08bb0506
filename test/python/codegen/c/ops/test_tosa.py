"""Scaling with TOSA's rounding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from common.arith_kernels import assert_all_agree, edges


@pytest.mark.parametrize("mode", ["SINGLE_ROUND", "DOUBLE_ROUND"])
def test_apply_scale(kernel: Any, mode: str) -> None:
    rng = np.random.default_rng(1)
    values = np.concatenate([edges(32), rng.integers(-(2**31), 2**31, 2000)]).astype("int32")
    multiplier = rng.integers(2**30, 2**31, len(values)).astype("int32")
    shift = rng.integers(2, 63, len(values)).astype("int8")
    v, m, s = (x.astype(object) for x in (values, multiplier, shift))
    round_ = 2 ** (s - 1)
    if mode == "DOUBLE_ROUND":
        round_ = round_ + np.where(shift > 31, np.where(values >= 0, 2**30, -(2**30)), 0)
    exact = (v * m + round_) >> s
    fits = np.array([-(2**31) <= e < 2**31 for e in exact])
    inputs = [values[fits], multiplier[fits], shift[fits]]
    count = int(fits.sum())
    body = f"""
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant {count} : index
      scf.for %i = %c0 to %n step %c1 {{
        %v = memref.load %in0[%i] : memref<{count}xi32>
        %m = memref.load %in1[%i] : memref<{count}xi32>
        %s = memref.load %in2[%i] : memref<{count}xi8>
        %r = tosa.apply_scale %v, %m, %s {{rounding_mode = {mode}}} : (i32, i32, i8) -> i32
        memref.store %r, %out0[%i] : memref<{count}xi32>
      }}"""
    assert_all_agree(kernel, body, inputs, exact[fits].astype("int32"))
