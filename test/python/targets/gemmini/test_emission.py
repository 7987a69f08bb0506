"""`--emit gemmini-c`: programs for a bare RISC-V core with Gemmini, which check themselves.

Their instructions are decoded by the programming model alone, and run by the strict interpreter.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from common.conv_layer import Layer
from common.drivers.gemmini_board import GemminiBoard
from common.drivers.gemmini_stream import StreamChecker
from common.tosa_text import Main, tensor, type_of

import forebay

COMPILER = "riscv64-unknown-elf-gcc"


def product(rows: int, depth: int, columns: int) -> str:
    """A matrix product with a bias."""
    pointwise = Layer(
        size=(rows, 1), depth=depth, channels=columns, kernel=(1, 1), pad=(0, 0, 0, 0)
    )
    return pointwise.text()


LAYERS = {
    "product of 32": product(32, 32, 32),
    "product with remainders": product(37, 53, 19),
    "stride and padding": Layer(
        size=(9, 9), depth=5, channels=20, stride=(2, 2), pad=(1, 1, 1, 1)
    ).text(),
    "layer of a residual network": Layer(size=(8, 8), depth=64, channels=64).text(),
}


def built(model: Path, folder: Path, target: str = "gemmini") -> Path:
    """Build the program as its Makefile does; return the ELF file."""
    if shutil.which(COMPILER) is None:
        pytest.skip(f"{COMPILER} is not installed")
    forebay.compile(model, target=target).write(folder, emit="gemmini-c")
    made = subprocess.run(["make", "-C", str(folder)], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    assert "warning" not in made.stderr
    (elf,) = folder.glob("*.elf")
    return elf


def checked(board: GemminiBoard) -> int:
    code = board.run()
    geometry = board.state.geometry
    checker = StreamChecker(geometry.scratchpad_rows, geometry.accumulator_rows)
    assert checker.check(board.stream) == []
    return code


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_checks_itself(tmp_path: Path, name: str) -> None:
    (tmp_path / "net.mlir").write_text(LAYERS[name])
    board = GemminiBoard(built(tmp_path / "net.mlir", tmp_path / "out"))
    assert checked(board) == 0
    assert board.counts["ComputePreloaded"] > 0


def test_the_program_starts_where_the_simulator_does(tmp_path: Path) -> None:
    (tmp_path / "net.mlir").write_text(LAYERS["stride and padding"])
    board = GemminiBoard(built(tmp_path / "net.mlir", tmp_path / "out"))
    symbols = board.elf.symbols
    assert board.elf.entry == symbols["_start"] == 0x8000_0000
    assert symbols["tohost"] % 8 == symbols["fromhost"] % 8 == 0
    needed = subprocess.run(
        ["riscv64-unknown-elf-nm", "-u", *tmp_path.glob("out/*.elf")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert needed.stdout == ""


def test_another_output_ends_with_a_code(tmp_path: Path) -> None:
    """Expected outputs that are one off are found by the program itself."""
    (tmp_path / "net.mlir").write_text(LAYERS["stride and padding"])
    compiled = forebay.compile(tmp_path / "net.mlir", target="gemmini")
    (step,) = compiled.expected_outputs().steps
    outputs = tuple(data + np.int8(1) for data in step.outputs)
    wrong = type(step)(step.inputs, outputs)
    compiled.write(tmp_path / "out", golden=[wrong], emit="gemmini-c")
    if shutil.which(COMPILER) is None:
        pytest.skip(f"{COMPILER} is not installed")
    subprocess.run(["make", "-s", "-C", str(tmp_path / "out")], check=True)
    (elf,) = tmp_path.glob("out/*.elf")
    assert GemminiBoard(elf).run() == 1


def test_keyword_spotting_runs_on_the_board(shared_models: Path, tmp_path: Path) -> None:
    board = GemminiBoard(built(shared_models / "kws_dscnn_int8.tflite", tmp_path / "out"))
    assert checked(board) == 0


def test_a_network_that_needs_a_c_library_is_refused(tmp_path: Path) -> None:
    main = Main(("tensor<1x16xf32>",))
    value = main.op("tosa.exp", [("%x0", "tensor<1x16xf32>")], "", tensor((1, 16), "f32"))
    (tmp_path / "net.mlir").write_text(main.returning(value, type_of(np.zeros((1, 16), "f4"))))
    compiled = forebay.compile(tmp_path / "net.mlir", target="gemmini")
    with pytest.raises(forebay.Error, match=r"needs math\.h, which a program without a C library"):
        compiled.write(tmp_path / "out", emit="gemmini-c")
    assert not (tmp_path / "out").exists()
