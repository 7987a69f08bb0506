"""A camera that hands in a picture line by line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from common.doc_blocks import first_command, matches

from forebay.mcu import boards
from forebay.mcu.tools import missing

EXAMPLE = Path(__file__).parents[3] / "examples/camera_rows"


def run(*arguments: str | Path) -> str:
    command = [sys.executable, EXAMPLE / "run.py", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_rows_of_the_camera_are_enough(tmp_path: Path) -> None:
    assert "workspace: 1,344 bytes" in run(tmp_path)
    source = (tmp_path / "digits_int8/digits_int8.c").read_text(encoding="utf-8")
    assert "image->read(image->context, " in source


def test_the_camera_of_an_emulated_board(tmp_path: Path) -> None:
    pytest.importorskip("elftools", reason="images are read by pyelftools")
    board = boards.load("mps3-an547")
    packages = [tool.package for tool in missing(board)]
    if packages:
        pytest.skip(f"{board.name} needs the Debian packages {' '.join(packages)}")
    command, printed = first_command(EXAMPLE / "README.md")
    assert command == f"python examples/camera_rows/run.py --board {board.name}"
    assert matches(printed, run(tmp_path, "--board", board.name))
