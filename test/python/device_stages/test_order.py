"""The order in which devices' stages run changes nothing that a network computes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import forebay

TARGET = Path(__file__).parents[2] / "common" / "machines" / "two_poolers.py"

MODEL = """
func.func @main(%x: tensor<1x16x16x4xi8> {accel.name = "x"})
    -> (tensor<1x2x2x4xi8> {accel.name = "y"}) {
  %a = tosa.max_pool2d %x {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>,
    stride = array<i64: 2, 2>} : (tensor<1x16x16x4xi8>) -> tensor<1x8x8x4xi8>
  %b = tosa.max_pool2d %a {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>,
    stride = array<i64: 2, 2>} : (tensor<1x8x8x4xi8>) -> tensor<1x4x4x4xi8>
  %c = tosa.max_pool2d %b {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>,
    stride = array<i64: 2, 2>} : (tensor<1x4x4x4xi8>) -> tensor<1x2x2x4xi8>
  return %c : tensor<1x2x2x4xi8>
}
"""


@pytest.mark.parametrize("order", [(), ("large", "small"), ("small", "large")])
def test_any_order_gives_the_same_bits(tmp_path: Path, order: tuple[str, ...]):
    model = tmp_path / "pools.mlir"
    model.write_text(MODEL)
    compiled = forebay.compile(model, target=str(TARGET), order=order)
    x = np.random.default_rng(5).integers(-128, 128, (1, 16, 16, 4), dtype=np.int8)
    expected = x.reshape(1, 2, 8, 2, 8, 4).max(axis=(2, 4))
    assert np.array_equal(compiled.run(x), expected)
    assert np.array_equal(compiled.run(x, engine="emulator"), expected)
