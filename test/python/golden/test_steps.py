"""Inputs that are drawn for the self-test."""

from pathlib import Path

import numpy as np
import pytest

import forebay
from forebay.cli.main import main
from forebay.golden.steps import drawn_inputs, random_input
from forebay.network.model import Port

COUNT_DOWN = """
func.func @main(%start: tensor<i32>) -> tensor<i32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant dense<1> : tensor<i32>
  %left = scf.while (%n = %start) : (tensor<i32>) -> tensor<i32> {
    %count = tensor.extract %n[] : tensor<i32>
    %goes_on = arith.cmpi sgt, %count, %zero : i32
    scf.condition(%goes_on) %n : tensor<i32>
  } do {
  ^bb0(%n: tensor<i32>):
    %next = tosa.sub %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    scf.yield %next : tensor<i32>
  }
  return %left : tensor<i32>
}
"""


def drawn(port: Port, *, has_counts: bool) -> int:
    values = random_input(np.random.default_rng(0), port, has_counts=has_counts)
    assert values.dtype == port.dtype
    return int(np.abs(values.astype(np.int64)).max())


def test_counts_of_iterations_are_small_and_data_is_not() -> None:
    count, data = Port("n", "int32", (99,)), Port("x", "int32", (99,), scale=0.5)
    assert drawn(count, has_counts=True) < 32
    assert min(drawn(count, has_counts=False), drawn(data, has_counts=True)) > 1 << 24
    assert drawn(Port("x", "int8", (99,)), has_counts=True) > 100


def test_the_self_test_of_a_loop_that_counts_an_input_ends(tmp_path: Path) -> None:
    (tmp_path / "down.mlir").write_text(COUNT_DOWN)
    compiled = forebay.compile(tmp_path / "down.mlir")
    assert compiled.run(np.array(3, np.int32)) == 0
    written = compiled.write(tmp_path / "out")
    assert (tmp_path / "out" / "down_selftest.c").exists(), written


def test_a_run_and_a_picture_draw_the_same_small_count(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "down.mlir").write_text(COUNT_DOWN)
    assert main(["run", str(tmp_path / "down.mlir"), "--engine", "emulator"]) == 0
    assert "0" in capsys.readouterr().out
    (inputs,) = drawn_inputs(forebay.compile(tmp_path / "down.mlir").info)
    assert 0 < int(inputs[0]) < 32
