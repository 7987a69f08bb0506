"""A plan that has no room for what a device's stage takes of the free bytes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import forebay

TARGET = Path(__file__).parents[2] / "common" / "machines" / "greedy_stage.py"
MODEL = """
func.func @main(%x: tensor<100xi8> {accel.name = "x"}) -> (tensor<100xi8> {accel.name = "y"}) {
  %e = tensor.empty() : tensor<100xi8>
  %y = accel.call @npu.scale ins(%x : tensor<100xi8>) outs(%e : tensor<100xi8>) -> tensor<100xi8>
  return %y : tensor<100xi8>
}
"""


def compiled(folder: Path, sram: int) -> forebay.Compiled:
    model = folder / "scale.mlir"
    model.write_text(MODEL, encoding="utf-8")
    return forebay.compile(model, target=f"{TARGET}:sram={sram}")


@pytest.mark.parametrize(("sram", "tile"), [(1000, 720), (400, 150)])
def test_a_stage_gets_less_if_the_free_bytes_are_not_one_range(
    sram: int, tile: int, tmp_path: Path
) -> None:
    """Both operands take 100 bytes and begin at multiples of 16, so 788 of 800 bytes are one range.

    The stage gets 90 percent; of 200 bytes, 180 are too many, and it gets 75 percent.
    """
    found = compiled(tmp_path, sram)
    assert f"memref<{tile}xi8" in str(found.planned)
    x = np.arange(100, dtype=np.int8)
    for engine in ("emulator", "c", "llvm"):
        np.testing.assert_array_equal(found.run(x, engine=engine), x << 1)


def test_what_never_fits_is_the_first_error(tmp_path: Path) -> None:
    with pytest.raises(forebay.Error, match=r"pool 'sram' (needs|cannot hold)"):
        compiled(tmp_path, 150)
