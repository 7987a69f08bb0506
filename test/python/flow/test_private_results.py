"""What a private function computes last is computed in the memory of the caller of the program."""

from pathlib import Path
from typing import Literal

import numpy as np
import pytest

import forebay

HALF = """
func.func private @half(%x: tensor<64xi8>) -> tensor<64xi8> {
  %0 = tosa.abs %x : (tensor<64xi8>) -> tensor<64xi8>
  %1 = tosa.reverse %0 {axis = 0 : i32} : (tensor<64xi8>) -> tensor<64xi8>
  return %1 : tensor<64xi8>
}
"""
PORTS = """
func.func @main(%a: tensor<64xi8> {accel.name = "a", accel.dtype = "int8"})
    -> (tensor<64xi8> {accel.name = "out", accel.dtype = "int8"}) {
  %0 = func.call @half(%a) : (tensor<64xi8>) -> tensor<64xi8>
"""
ONCE = HALF + PORTS + "  return %0 : tensor<64xi8>\n}\n"
TWICE = (
    HALF
    + PORTS
    + "  %1 = func.call @half(%0) : (tensor<64xi8>) -> tensor<64xi8>\n"
    + "  return %1 : tensor<64xi8>\n}\n"
)
IMAGE = np.arange(-32, 32, dtype=np.int8)


def compiled_from(text: str, directory: Path) -> forebay.Compiled:
    path = directory / "net.mlir"
    path.write_text(text, encoding="utf-8")
    return forebay.compile(path)


def test_one_caller_saves_the_buffer_and_the_copy(tmp_path: Path) -> None:
    """What is left is the 64 bytes between the two operators of the function."""
    network = compiled_from(ONCE, tmp_path)
    assert network.info.pool("workspace").size == 64
    assert "memref_pool.copy" not in network.ir


def test_two_callers_keep_the_buffer_that_both_know(tmp_path: Path) -> None:
    """64 bytes between the operators, 64 for the result of either call.

    The input is copied to where the function reads, the result from where it writes.
    """
    network = compiled_from(TWICE, tmp_path)
    assert network.info.pool("workspace").size == 128
    assert network.ir.count("memref_pool.copy") == 2


@pytest.mark.parametrize(("text", "calls"), [(ONCE, 1), (TWICE, 2)])
@pytest.mark.parametrize("engine", ["c", "llvm", "emulator"])
def test_engines_agree(
    tmp_path: Path, text: str, calls: int, engine: Literal["c", "llvm", "emulator"]
) -> None:
    expected = IMAGE
    for _ in range(calls):
        expected = np.abs(expected)[::-1]
    found = compiled_from(text, tmp_path).run(IMAGE, engine=engine)
    np.testing.assert_array_equal(found, expected)
