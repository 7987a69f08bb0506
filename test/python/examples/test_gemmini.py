"""The models in `examples/gemmini`: written by their script, built and run as the README says."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from common.drivers.gemmini_board import GemminiBoard
from common.drivers.gemmini_stream import StreamChecker

EXAMPLES = Path(__file__).parents[3] / "examples" / "gemmini"
MODELS = ("matmul_32x32x32", "matmul_37x53x19", "conv_stride2", "resnet8_layer")
COMPILER = "riscv64-unknown-elf-gcc"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the script, and the files that it writes."""
    copy = tmp_path_factory.mktemp("examples") / "gemmini"
    copy.mkdir()
    shutil.copy(EXAMPLES / "layers.py", copy)
    subprocess.run([sys.executable, str(copy / "layers.py")], check=True)
    return copy


def commands_for(model: str) -> list[list[str]]:
    """The commands of the README, for one of the models."""
    (block,) = re.findall(r"```sh\n(.*?)```", (EXAMPLES / "README.md").read_text(), re.DOTALL)
    return [shlex.split(line) for line in block.replace("matmul_37x53x19", model).splitlines()]


def test_the_files_are_those_of_the_script(folder: Path) -> None:
    for model in MODELS:
        name = f"{model}.mlir"
        assert (EXAMPLES / name).read_text() == (folder / name).read_text()


@pytest.mark.parametrize("model", MODELS)
def test_the_program_checks_itself(folder: Path, model: str) -> None:
    if shutil.which(COMPILER) is None:
        pytest.skip(f"{COMPILER} is not installed")
    for command, *arguments in commands_for(model):
        program = (
            str(Path(sys.executable).with_name("forebay")) if command == "forebay" else command
        )
        made = subprocess.run(
            [program, *arguments], cwd=folder, capture_output=True, text=True, check=False
        )
        assert made.returncode == 0, made.stderr
        assert "warning" not in made.stderr
    board = GemminiBoard(folder / "out" / f"{model}.elf")
    assert board.run() == 0
    assert StreamChecker().check(board.stream) == []
    assert board.counts["ComputePreloaded"] > 0
    shutil.rmtree(folder / "out")
