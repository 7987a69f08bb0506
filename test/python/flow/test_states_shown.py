"""Variables whose old values are stored to others, and returned, in the run that changes them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import forebay

PROGRAM = """
tosa.variable @a = dense<1> : tensor<4xi8>
tosa.variable @b = dense<2> : tensor<4xi8>
func.func @main(%x: tensor<4xi8> {accel.name = "x"}) -> (tensor<4xi8> {accel.name = "y"}) {
  %a = tosa.variable_read @a : tensor<4xi8>
  %b = tosa.variable_read @b : tensor<4xi8>
  %same = tosa.clamp %a {min_val = -128 : i8, max_val = 127 : i8} : (tensor<4xi8>) -> tensor<4xi8>
  %new = tosa.maximum %a, %x : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  tosa.variable_write @a, %new : tensor<4xi8>
  tosa.variable_write @b, %same : tensor<4xi8>
  return %b : tensor<4xi8>
}
"""


@pytest.mark.parametrize("engine", ["c", "llvm", "emulator"])
def test_old_values_are_those_from_before_the_run(tmp_path: Path, engine: str) -> None:
    """@a is the greatest so far, @b what @a was a run before, the result what @b was."""
    program = tmp_path / "delay.mlir"
    program.write_text(PROGRAM)
    model = forebay.compile(program)
    model.reset(engine=engine)
    results = [model.run(np.full(4, x, np.int8), engine=engine) for x in (5, 7, 9, 1)]
    assert [int(y[0]) for y in results] == [2, 1, 5, 7]
