"""Three networks in one image, which run in turn."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from common.doc_blocks import first_command, matches

from forebay.mcu import boards
from forebay.mcu.tools import missing

EXAMPLE = Path(__file__).parents[3] / "examples/three_models"


def output_of(*arguments: object) -> str:
    done = subprocess.run(
        [sys.executable, EXAMPLE / "run.py", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def test_outputs_are_those_of_the_networks_alone(tmp_path: Path):
    output = output_of(tmp_path)
    assert "workspace: 3,072 bytes instead of 3,136" in output
    assert output.endswith("all outputs are those of the networks alone\n")


def test_on_a_board_the_memories_are_where_the_application_puts_them(tmp_path: Path):
    pytest.importorskip("elftools", reason="images are read by pyelftools")
    board = boards.load("mps3-an547")
    packages = [tool.package for tool in missing(board)]
    if packages:
        pytest.skip(f"{board.name} needs the Debian packages {' '.join(packages)}")
    output = output_of(tmp_path, "--board", board.name)
    command, printed = first_command(EXAMPLE / "README.md")
    assert command == f"python examples/three_models/run.py --board {board.name}"
    assert matches(printed, output)
