"""Zeros around floats: sums that begin with -0.0 may change, and infinite weights change all."""

from __future__ import annotations

import numpy as np
import pytest
from mlir import ir

import forebay.dialects  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay.dialects.accel import ReduceOp
from forebay.ir.module import module_of
from forebay.ir.nested import ops_of
from forebay.lowering.padding.constants import Constants
from forebay.lowering.padding.float_zeros import zeros_add_nothing

TEXT = """
memref.global "private" constant @w : memref<3xf32> = {weights}
func.func @main(%x: memref<8xf32>, %p: memref<1xf32>, %given: memref<3xf32>, %o: memref<8xf32>) {{
  %known = memref.get_global @w : memref<3xf32>
  %start = arith.constant {start} : f32
  accel.reduce [8 | 3] ins(%x, %{read} : memref<8xf32>, memref<3xf32>) params(%p : memref<1xf32>)
    outs(%o : memref<8xf32>)
    maps [affine_map<(x, k) -> (x + k - 1)>, affine_map<(x, k) -> (k)>, affine_map<(x) -> (0)>,
      affine_map<(x) -> (x)>] init {{
    ^bb0(%p0: f32):
      accel.yield %{first} : f32
    }} body {{
    ^bb0(%acc: f32, %x0: f32, %w0: f32):
      %product = arith.mulf %x0, %w0 : f32
      %sum = arith.addf %acc, %product : f32
      accel.yield %sum : f32
    }} finish {{
    ^bb0(%acc: f32, %count: i32, %p0: f32):
      accel.yield %acc : f32
    }}
  return
}}"""


@pytest.mark.parametrize(
    ("start", "first", "weights", "read", "is_exact"),
    [
        ("0.0", "start", "dense<[1.0, -0.0, -3.0e38]>", "known", True),
        ("2.5", "start", "dense<1.0>", "known", True),
        ("-0.0", "start", "dense<1.0>", "known", False),
        ("0.0", "p0", "dense<1.0>", "known", False),
        ("0.0", "start", "dense<[1.0, 0x7F800000, 2.0]>", "known", False),
        ("0.0", "start", "dense<[1.0, 0x7FC00000, 2.0]>", "known", False),
        ("0.0", "start", "dense<1.0>", "given", False),
    ],
)
def test_where_zeros_add_nothing(
    start: str, first: str, weights: str, read: str, *, is_exact: bool
) -> None:
    text = TEXT.format(start=start, first=first, weights=weights, read=read)
    with ir.Context(), ir.Location.unknown():
        module = module_of(ir.Module.parse(text).operation)
        (op,) = ops_of(module, ReduceOp)
        assert zeros_add_nothing(op, Constants(module)) == is_exact


def test_squares_have_no_weights() -> None:
    text = TEXT.format(start="0.0", first="start", weights="dense<1.0>", read="known")
    text = text.replace("ins(%x, %known : memref<8xf32>, memref<3xf32>)", "ins(%x : memref<8xf32>)")
    text = text.replace("affine_map<(x, k) -> (k)>, ", "").replace(", %w0: f32", "")
    with ir.Context(), ir.Location.unknown():
        module = module_of(
            ir.Module.parse(text.replace("%x0, %w0 : f32", "%x0, %x0 : f32")).operation
        )
        (op,) = ops_of(module, ReduceOp)
        assert not zeros_add_nothing(op, Constants(module))


@pytest.mark.parametrize("weight", [1.0, -1.0, 0.0, -0.0, 1e-45, -3e38])
def test_only_a_negative_zero_changes_by_a_zero(weight: float) -> None:
    """By IEEE 754's arithmetic, as NumPy has it."""
    sums = np.array([0.0, -0.0, 1.0, -1.0, 1e-45, -1e-45, np.inf, -np.inf], np.float32)
    changed = sums + np.float32(0.0) * np.float32(weight)
    is_changed = changed.view("u4") != sums.view("u4")
    assert not is_changed[[0, *range(2, len(sums))]].any()
    assert is_changed[1] == (not np.signbit(np.float32(weight)))
