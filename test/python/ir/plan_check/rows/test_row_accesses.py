"""The rows that boxes of reductions read are those of the points whose indices are all inside."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from mlir import ir

from forebay.dialects.accel import ReduceOp
from forebay.ir.nested import ops_of
from forebay.ir.plan_check.rows.row_accesses import ReduceRows

PROGRAM = """
func.func @main(%x: memref<{height}x{width}xi8>, %w: memref<{weights}xi8>,
    %o: memref<{out_height}x{out_width}xi8>) {{
  accel.reduce [{parallel} | {reduction}] at [{starts} | 0, 0] sizes [{sizes} | {reduction}]
    ins(%x, %w : memref<{height}x{width}xi8>, memref<{weights}xi8>)
    outs(%o : memref<{out_height}x{out_width}xi8>)
    maps [affine_map<(y, x, j, k) -> ({row}, {column})>,
          affine_map<(y, x, j, k) -> ({weight})>, affine_map<(y, x) -> (y, x)>]
    init {{ %z = arith.constant 0 : i32  accel.yield %z : i32 }}
    body {{ ^bb0(%s: i32, %a: i8, %b: i8):  %n = arith.extsi %a : i8 to i32
      accel.yield %n : i32 }}
    finish {{ ^bb0(%s: i32, %count: i32):  %t = arith.trunci %s : i32 to i8  accel.yield %t : i8 }}
  return
}}
"""


@pytest.mark.parametrize("seed", range(60))
def test_rows_are_those_of_an_enumeration(seed: int) -> None:
    rng = np.random.default_rng(seed)

    def drawn(low: int, high: int) -> int:
        return int(rng.integers(low, high))

    height, width, weights = drawn(2, 7), drawn(1, 5), drawn(1, 5)
    domain = [drawn(1, 7), drawn(1, 5), drawn(1, 4), drawn(1, 4)]
    row = (drawn(1, 4), 0, drawn(1, 4), 0, drawn(-8, 2))
    column = (0, drawn(1, 4), 0, drawn(1, 4), drawn(-8, 2))
    weight = (drawn(0, 2), drawn(0, 2), drawn(-2, 1), drawn(-2, 1), drawn(-2, 3))
    starts = [*(drawn(0, extent) for extent in domain[:2]), 0, 0]
    sizes = [*(drawn(1, domain[d] - starts[d] + 1) for d in (0, 1)), *domain[2:]]

    def value(factors: tuple[int, ...], point: tuple[int, ...]) -> int:
        return sum(f * p for f, p in zip(factors, (*point, 1), strict=True))

    def text(factors: tuple[int, ...]) -> str:
        return " + ".join(f"{f} * {d}" for f, d in zip(factors, "yxjk", strict=False)) + (
            f" + {factors[-1]}"
        )

    expected = {
        value(row, point)
        for point in itertools.product(*map(range, starts, np.add(starts, sizes)))
        if 0 <= value(row, point) < height
        and 0 <= value(column, point) < width
        and 0 <= value(weight, point) < weights
    }
    program = PROGRAM.format(
        height=height,
        width=width,
        weights=weights,
        out_height=domain[0],
        out_width=domain[1],
        starts=", ".join(map(str, starts[:2])),
        sizes=", ".join(map(str, sizes[:2])),
        parallel=", ".join(map(str, domain[:2])),
        reduction=", ".join(map(str, domain[2:])),
        row=text(row),
        column=text(column),
        weight=text(weight),
    )
    with ir.Context():
        module = ir.Module.parse(program)
        (op,) = ops_of(module.operation, ReduceOp)
        assert ReduceRows(op, 0, width).at(starts) == sorted(expected)
