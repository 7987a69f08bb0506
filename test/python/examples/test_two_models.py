"""Two networks that take turns in one memory of the larger one's size."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from common.doc_blocks import first_command, matches

from forebay.mcu import boards
from forebay.mcu.image.elf import read_elf
from forebay.mcu.tools import missing

EXAMPLE = Path(__file__).parents[3] / "examples/two_models"


def test_the_networks_leave_each_others_results_alone(tmp_path: Path):
    done = subprocess.run(
        [sys.executable, EXAMPLE / "run.py", tmp_path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "workspaces of 3,072 and 64 bytes in one of 3,072" in done.stdout


def test_on_a_board_both_use_its_sram(tmp_path: Path):
    pytest.importorskip("elftools", reason="images are read by pyelftools")
    board = boards.load("mps3-an547")
    packages = [tool.package for tool in missing(board)]
    if packages:
        pytest.skip(f"{board.name} needs the Debian packages {' '.join(packages)}")
    done = subprocess.run(
        [sys.executable, EXAMPLE / "run.py", tmp_path, "--board", board.name],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    command, printed = first_command(EXAMPLE / "README.md")
    assert command == f"python examples/two_models/run.py --board {board.name}"
    assert matches(printed, done.stdout)
    objects = {
        symbol.name: (symbol.address, symbol.size)
        for symbol in read_elf(tmp_path / board.name / "application.elf").symbols
    }
    assert board.memory("sram").holds(*objects["shared"])
    assert board.memory("qspi").holds(*objects["digits_int8_weights"])
    assert objects["shared"][1] == 3072
    assert not {"workspace", "digits_int8_default_pools", "smooth_default_pools"} & set(objects)


def test_the_application_notices_when_they_do_not(tmp_path: Path):
    """The second reading must come to another result when the networks really disturb it."""
    source = (EXAMPLE / "main.c").read_text()
    assert source.count("&for_digits, digit_image, again") == 1
    subprocess.run([sys.executable, EXAMPLE / "run.py", tmp_path], capture_output=True, check=True)
    broken = tmp_path / "broken.c"
    broken.write_text(source.replace("digit_image, again", "smoothed, again"))
    folders = [tmp_path, tmp_path / "digits_int8", tmp_path / "smooth"]
    sources = [
        tmp_path / "digits_int8/digits_int8.c",
        tmp_path / "digits_int8/digits_int8_weights.c",
        tmp_path / "smooth/smooth.c",
    ]
    command = ["cc", "-std=c11", *(f"-I{f}" for f in folders), broken, *sources, "-lm", "-o"]
    program = tmp_path / "broken"
    subprocess.run([*map(str, command), str(program)], check=True)
    assert subprocess.run([program], check=False).returncode == 2
