"""Standard streams that are full, closed or without a reader."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FOREBAY = Path(sys.executable).with_name("forebay")
OPT = Path(sys.executable).with_name("forebay-opt")


@pytest.fixture
def module(tmp_path: Path) -> Path:
    lines = [f"func.func private @function_{number}()" for number in range(4000)]
    path = tmp_path / "functions.mlir"
    path.write_text("\n".join(lines))
    return path


def shell(script: str, *words: Path) -> subprocess.CompletedProcess[str]:
    command = ["bash", "-c", script, "bash", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("program", ["pipeline", "opt", "version"])
@pytest.mark.parametrize(
    ("redirection", "reason"),
    [("> /dev/full", "No space left on device"), (">&-", "Bad file descriptor")],
)
def test_output_that_cannot_be_written_is_an_error(
    program: str, redirection: str, reason: str, module: Path
) -> None:
    words = {
        "pipeline": (FOREBAY, "pipeline"),
        "opt": (OPT, module),
        "version": (FOREBAY, "--version"),
    }
    done = shell(f'"$@" {redirection}', *map(Path, words[program]))
    assert done.returncode == 1
    assert done.stderr.endswith(f": error: standard output: {reason}\n")
    assert done.stderr.count("\n") == 1


def test_a_reader_that_goes_is_no_error(module: Path) -> None:
    done = shell('"$@" | head -1; echo ${PIPESTATUS[0]}', OPT, module)
    assert (done.stdout, done.stderr) == ("module {\n141\n", "")
    done = shell('"$@" | true; echo ${PIPESTATUS[0]}', FOREBAY, Path("pipeline"))
    assert (done.stdout, done.stderr) == ("141\n", "")


def test_errors_that_cannot_be_printed_keep_their_code(tmp_path: Path) -> None:
    missing = tmp_path / "missing.tflite"
    for redirection in ("2>&-", "2> /dev/full"):
        done = shell(f'"$1" compile "$2" {redirection}', FOREBAY, missing)
        assert (done.returncode, done.stdout) == (1, "")
