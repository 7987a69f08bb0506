"""Rounding by additions, against Python's exact fractions, at all halves and their neighbours."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from mlir import ir

import forebay.passes  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay.pipelines import run_pipeline
from forebay.reference import Interpreter

LOW, HIGH = -131, 124
KINDS = {"f32": np.float32, "f64": np.float64}


def program(kind: str, count: int, rounding: str) -> str:
    """A rounding of all elements of a tensor, limited and converted."""
    return f"""
    func.func @main(%x: tensor<{count}x{kind}>) -> tensor<{count}xi32> {{
      %low = arith.constant {LOW}.0 : {kind}
      %high = arith.constant {HIGH}.0 : {kind}
      %e = tensor.empty() : tensor<{count}xi32>
      %y = linalg.generic {{
          indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>],
          iterator_types = ["parallel"]}}
          ins(%x : tensor<{count}x{kind}>) outs(%e : tensor<{count}xi32>) {{
      ^bb0(%in: {kind}, %out: i32):
        %0 = math.{rounding} %in : {kind}
        %1 = arith.maxnumf %0, %low : {kind}
        %2 = arith.minnumf %1, %high : {kind}
        %3 = arith.fptosi %2 : {kind} to i32
        linalg.yield %3 : i32
      }} -> tensor<{count}xi32>
      return %y : tensor<{count}xi32>
    }}
    """


def values(dtype: type[np.floating]) -> np.ndarray:
    """Halves and whole numbers, both neighbours of each, and numbers that are no such."""
    centres = (np.arange(-300, 301) / 2).astype(dtype)
    sides = [np.nextafter(centres, dtype(side)) for side in (-np.inf, np.inf)]
    tiny = np.finfo(dtype).smallest_subnormal
    others = [0.0, -0.0, tiny, -tiny, 1e30, -1e30, np.inf, -np.inf, np.nan]
    drawn = np.random.default_rng(0).uniform(-140, 140, 500)
    return np.concatenate([centres, *sides, np.array([*others, *drawn], dtype)])


def exact(value: float, rounding: str) -> int:
    """What C's `roundf` or `rintf` and the limits give, in exact arithmetic."""
    if math.isnan(value):
        return LOW
    inside = Fraction(min(max(value, LOW - 1), HIGH + 1))
    if rounding == "roundeven":
        whole = round(inside)
    else:
        whole = int(abs(inside) + Fraction(1, 2)) * (-1 if inside < 0 else 1)
    return min(max(whole, LOW), HIGH)


@pytest.mark.parametrize("rounding", ["round", "roundeven"])
@pytest.mark.parametrize("kind", KINDS)
def test_all_values_are_rounded_exactly(kind: str, rounding: str) -> None:
    """Before and after the pass, which leaves no rounding."""
    given = values(KINDS[kind])
    wanted = np.array([exact(float(value), rounding) for value in given], np.int32)
    with ir.Context():
        module = ir.Module.parse(program(kind, given.size, rounding))
        (before,) = Interpreter(module.operation).run([given]).outputs
        run_pipeline(module, "builtin.module(func.func(accel-expand-rounding,canonicalize))")
        assert "math.round" not in str(module)
        (after,) = Interpreter(module.operation).run([given]).outputs
    np.testing.assert_array_equal(before, wanted)
    np.testing.assert_array_equal(after, wanted)
