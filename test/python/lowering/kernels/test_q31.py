"""Arithmetic of Q0.31 equals gemmlowp's."""

from __future__ import annotations

import numpy as np
from common.host_jit import run_host
from common.oracles.upstream_jit import _one_over_one_plus_x
from mlir import ir
from mlir.dialects import func

from forebay.lowering.kernels import q31, scalar
from forebay.lowering.kernels.rows import map_rows


def test_inverse_equals_three_steps_of_newton() -> None:
    rng = np.random.default_rng(0)
    powers = 1 << np.arange(31, dtype=np.int64)
    near = np.concatenate([powers, powers + 1, 2 * powers - 1])
    totals = np.concatenate([near, rng.integers(1, 2**31, 2000)]).astype(np.int32)
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            kind = ir.RankedTensorType.get(list(totals.shape), scalar.i32())

            @func.FuncOp.from_py_func(kind)
            def main(total: ir.Value) -> ir.Value:
                return map_rows("inverse", total, scalar.i32(), q31.inverse)

        source = str(module)
    fractions = [(int(t) << (32 - int(t).bit_length())) - (1 << 31) for t in totals]
    expected = [_one_over_one_plus_x(fraction) for fraction in fractions]
    np.testing.assert_array_equal(run_host(source, totals)[0], expected)
