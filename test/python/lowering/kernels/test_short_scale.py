"""The short requantisation has the bits of TensorFlow Lite's, within its ranges only."""

from __future__ import annotations

import numpy as np
import pytest
from common.oracles.vector_jit import run_vectors
from mlir import ir
from mlir.dialects import func, tosa

import forebay.api.dialects  # noqa: F401  (registers the dialects)
from forebay.dialects.accel import StoreRescaledOp
from forebay.engines.llvm_lowering import ANY_PROCESSOR
from forebay.ir.memory.ranges_arith import Range
from forebay.ir.nested import ops_nested_in
from forebay.lowering.kernels.short_scale import shorten_scales
from forebay.lowering.kernels.vector_features import VectorFeatures

LANES = 8
SCALAR = """
  func.func @main(%x: memref<8xi32>, %m: memref<8xi32>, %s: memref<8xi8>, %o: memref<8xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    scf.for %i = %c0 to %c8 step %c1 {
      %x0 = memref.load %x[%i] : memref<8xi32>
      %m0 = memref.load %m[%i] : memref<8xi32>
      %s0 = memref.load %s[%i] : memref<8xi8>
      %0 = tosa.apply_scale %x0, %m0, %s0 {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      memref.store %0, %o[%i] : memref<8xi32>
    }
    return
  }"""
STORE = """
  func.func @main(%x: memref<8xi32>, %m: memref<8xi32>, %s: memref<8xi32>, %o: memref<8xi8>) {
    %c0 = arith.constant 0 : index
    %x0 = vector.load %x[%c0] : memref<8xi32>, vector<8xi32>
    %m0 = vector.load %m[%c0] : memref<8xi32>, vector<8xi32>
    %s0 = vector.load %s[%c0] : memref<8xi32>, vector<8xi32>
    accel.store_rescaled %x0, %m0, %s0, %o[%c0] zero_point -7 low -100 high 99
      : vector<8xi32>, memref<8xi8>
    return
  }"""

VECTOR = """
  func.func @main(%x: memref<8xi32>, %m: memref<8xi32>, %s: memref<8xi8>, %o: memref<8xi32>) {
    %c0 = arith.constant 0 : index
    %x0 = vector.load %x[%c0] : memref<8xi32>, vector<8xi32>
    %m0 = vector.load %m[%c0] : memref<8xi32>, vector<8xi32>
    %s0 = vector.load %s[%c0] : memref<8xi8>, vector<8xi8>
    %0 = tosa.apply_scale %x0, %m0, %s0 {rounding_mode = DOUBLE_ROUND}
      : (vector<8xi32>, vector<8xi32>, vector<8xi8>) -> vector<8xi32>
    vector.store %0, %o[%c0] : memref<8xi32>, vector<8xi32>
    return
  }"""
NEON = VectorFeatures(rounded_products=True)


def _scaled(value: int, multiplier: int, shift: int) -> int:
    """TensorFlow Lite's MultiplyByQuantizedMultiplier for a shift to the right, by its formulas."""
    product = value * multiplier
    nudge = (1 << 30) if product >= 0 else 1 - (1 << 30)
    total = product + nudge
    high = total >> 31 if total >= 0 else -(-total >> 31)
    exponent = shift - 31
    mask = (1 << exponent) - 1
    remainder, threshold = high & mask, (mask >> 1) + (high < 0)
    return (high >> exponent) + (remainder > threshold)


def _shortened(
    source: str, sum_: Range, shift: Range, features: VectorFeatures = ANY_PROCESSOR
) -> tuple[str, bool]:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(source)
        (main,) = (op for op in module.body.operations if isinstance(op, func.FuncOp))

        def range_of(value: ir.Value) -> Range:
            return shift if _is_shift(value) else sum_

        shorten_scales(ops_nested_in(main.operation), range_of, features)
        left = [op for op in ops_nested_in(main.operation) if isinstance(op, _LONG)]
        return str(module), bool(left)


_LONG = (tosa.ApplyScaleOp, StoreRescaledOp)


def _is_shift(value: ir.Value) -> bool:
    (use,) = value.uses
    return use.operand_number == 2


def _values(seed: int, shift_end: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    x = random.integers(1 - 2**30, 2**30, LANES, np.int32)
    x >>= random.integers(0, 25, LANES, np.int32)
    x[:2] = (2**30 - 1, 1 - 2**30)
    m = random.integers(2**30, 2**31, LANES, np.int64).astype(np.int32)
    m[2:4] = (2**30, 2**31 - 1)
    return x, m, random.integers(32, shift_end, LANES, np.int32)


@pytest.mark.parametrize("seed", range(6))
def test_scalars_have_the_same_bits(seed: int) -> None:
    x, m, s = _values(seed, 63)
    source, is_long = _shortened(SCALAR, Range(1 - 2**30, 2**30 - 1), Range(32, 62))
    found = np.zeros(LANES, np.int32)
    run_vectors(source, x, m, s.astype(np.int8), found)
    assert not is_long
    assert found.tolist() == [_scaled(*map(int, own)) for own in zip(x, m, s, strict=True)]


@pytest.mark.parametrize("seed", range(6))
def test_vectors_have_the_same_bits(seed: int) -> None:
    x, m, s = _values(seed, 63)
    source, is_long = _shortened(VECTOR, Range(1 - 2**30, 2**30 - 1), Range(32, 62))
    found = np.zeros(LANES, np.int32)
    run_vectors(source, x, m, s.astype(np.int8), found)
    assert not is_long
    assert found.tolist() == [_scaled(*map(int, own)) for own in zip(x, m, s, strict=True)]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("low", [-100, -7, 5])
def test_lanes_have_the_same_bits(seed: int, low: int) -> None:
    """With a limit at the zero point or above it, halves below zero may be rounded up."""
    x, m, s = _values(seed, 54)
    x[4:], m[4:], s[4:] = (-(2**20), -3 * 2**20, 2**20, 3 * 2**20), 2**30, 51
    text = STORE.replace("low -100", f"low {low}")
    source, is_long = _shortened(text, Range(1 - 2**30, 2**30 - 1), Range(32, 53))
    found = np.zeros(LANES, np.int8)
    run_vectors(source, x, m, s, found)
    scaled = [_scaled(*map(int, own)) - 7 for own in zip(x, m, s, strict=True)]
    assert not is_long
    assert found.tolist() == [min(max(own, low), 99) for own in scaled]


def test_four_lanes_are_two_instructions_with_neon() -> None:
    values, shift = Range(1 - 2**30, 2**30 - 1), Range(32, 53)
    for source in (STORE, VECTOR):
        text, is_long = _shortened(source, values, shift, NEON)
        assert not is_long
        for name in ("sqrdmulh", "srshl"):
            assert text.count(f'"llvm.aarch64.neon.{name}.v4i32"') == 2
        assert "arith.muli" not in text
    assert "arith.muli" in _shortened(STORE.replace("8xi", "2xi"), values, shift, NEON)[0]


@pytest.mark.parametrize("source", [SCALAR, STORE, VECTOR])
@pytest.mark.parametrize(
    ("sum_", "shift"),
    [
        (Range(-(2**30), 0), Range(32, 40)),
        (Range(0, 2**30), Range(32, 40)),
        (Range(0, 9), Range(31, 40)),
        (Range(0, 9), Range(32, 63)),
    ],
)
def test_other_ranges_keep_the_general_form(source: str, sum_: Range, shift: Range) -> None:
    assert _shortened(source, sum_, shift)[1]
