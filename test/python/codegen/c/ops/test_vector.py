"""Vectors of sums in C: functions of the header for the processor compute what NumPy computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from common.arith_kernels import SANITIZE
from common.oracles.numpy_kernels import rescale
from mlir import ir
from mlir.dialects import func

from forebay.codegen.project.project import project_files
from forebay.engines.c import CEngine


@pytest.mark.parametrize("offset", [128, 0, -3])
@pytest.mark.parametrize("sums", [16, 8])
def test_words_are_added_to_sums_by_one_function(kernel: Any, sums: int, offset: int) -> None:
    rng = np.random.default_rng(sums)
    x, w = (rng.integers(-128, 128, n).astype(np.int8) for n in (4, 4 * sums))
    bias = rng.integers(-(2**15), 2**15, sums).astype(np.int32)
    multiplier = rng.integers(2**30, 2**31, sums).astype(np.int32)
    shift = rng.integers(38, 46, sums).astype(np.int8)
    total = bias + w.reshape(sums, 4).astype(np.int32) @ (x.astype(np.int32) + offset)
    wanted = rescale(total, multiplier.tolist(), shift.tolist(), 5).astype(np.int8)
    body = f"""
      %c0 = arith.constant 0 : index
      %x = vector.load %in0[%c0] : memref<4xi8>, vector<4xi8>
      %w = vector.load %in1[%c0] : memref<{4 * sums}xi8>, vector<{4 * sums}xi8>
      %b = vector.load %in2[%c0] : memref<{sums}xi32>, vector<{sums}xi32>
      %m = vector.load %in3[%c0] : memref<{sums}xi32>, vector<{sums}xi32>
      %s = accel.load_extended %in4[%c0] : memref<{sums}xi8>, vector<{sums}xi32>
      %t = accel.dot_each %b, %x, %w offset {offset}
        : vector<{sums}xi32>, vector<4xi8>, vector<{4 * sums}xi8>
      accel.store_rescaled %t, %m, %s, %out0[%c0] zero_point 5 low -128 high 127
        : vector<{sums}xi32>, memref<{sums}xi8>"""
    inputs = [x, w, bias, multiplier, shift]
    module, model = kernel(body, inputs, [wanted])
    (main,) = module.body.operations
    assert isinstance(main, func.FuncOp)
    main.attributes["accel.cpu"] = ir.StringAttr.get("cascadelake")
    (found,) = CEngine(module, model, SANITIZE).run(inputs)
    np.testing.assert_array_equal(found, wanted)
    files = project_files(module, model)
    call = f"forebay_dot_each_i32x{sums}("
    assert call in files["kernel.c"]
    assert f"forebay_load_i8x4(&in[0]), {offset}," in files["kernel.c"]
    assert {"forebay_avx2.h", "forebay_avx512.h"} <= files.keys()
