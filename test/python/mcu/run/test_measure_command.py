"""The command `forebay mcu`: its report, its files and its errors."""

import json
from pathlib import Path

import numpy as np
import pytest
from common import networks

from forebay.cli import main as cli
from forebay.mcu import Board
from forebay.mcu.run.golden import drawn_golden


def test_the_command_prints_and_writes_the_report(
    digits: Path, m55: Board, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, written = tmp_path / "out", tmp_path / "report.json"
    arguments = ["mcu", str(digits), "--board", m55.name, "-o", str(out), "--json", str(written)]
    assert cli.main(arguments) == 0
    printed = capsys.readouterr().out
    found = json.loads(written.read_text())
    assert found["format"] == "forebay-mcu-report"
    assert f"{found['code']:,}" in printed and f"{found['instructions'][0]:,}" in printed
    assert {"board.ld", "main.c", "digits_int8.elf"} <= {path.name for path in out.iterdir()}
    assert "references" not in printed
    assert cli.main(arguments) == 0  # its own directory is replaced


def test_the_command_says_that_devices_ran_as_references(
    digits: Path, m55: Board, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["mcu", str(digits), "--board", m55.name, "--target", "cmsis_nn:extension=mve"]
    assert cli.main(arguments) == 0
    assert "cmsis_nn ran as references in portable C" in capsys.readouterr().out


def test_the_command_fails_for_a_wrong_golden(
    digits: Path, m55: Board, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    golden = drawn_golden(networks.compiled(digits), 2)
    arrays = {}
    for index, step in enumerate(golden):
        arrays |= {f"in{index}_0": step.inputs[0], f"out{index}_0": step.outputs[0].copy()}
    arrays["out1_0"][0, 7] ^= 1
    np.savez(tmp_path / "golden.npz", **arrays)
    arguments = ["mcu", str(digits), "--board", m55.name, "--golden", str(tmp_path / "golden.npz")]
    assert cli.main(arguments) == 1
    assert "element 7 on the board is not the golden one" in capsys.readouterr().err


def test_a_foreign_directory_is_left_alone(
    digits: Path, m55: Board, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.txt").write_text("keep")
    assert cli.main(["mcu", str(digits), "--board", m55.name, "-o", str(tmp_path)]) == 1
    assert "was not written by forebay" in capsys.readouterr().err
    assert (tmp_path / "mine.txt").read_text() == "keep"


def test_a_pool_option_without_a_memory_is_refused(
    digits: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["mcu", str(digits), "--board", "mps3-an547", "--pool", "workspace"]) == 1
    assert "write NAME=MEMORY, for example --pool workspace=sram" in capsys.readouterr().err
