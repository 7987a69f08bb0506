"""`docs/your-accelerator.md`: its files and commands do what the page says, as they are printed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from common.doc_blocks import COMMAND, matches

pytestmark = pytest.mark.slow  # a dozen processes

PAGE = Path(__file__).parents[3] / "docs" / "your-accelerator.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def run(command: str, folder: Path) -> str:
    """Run a command in the folder, and return what it prints."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    return "\n".join(line.rstrip() for line in (done.stdout + done.stderr).splitlines())


def test_the_page_as_it_is_printed(digits: Path, tmp_path: Path) -> None:
    shutil.copyfile(digits, tmp_path / "digits_int8.tflite")
    with np.load(digits.parent / "digits_heldout.npz") as heldout:
        np.save(tmp_path / "x.npy", heldout["inputs"][:1])
    seen = 0
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    for kind, block in blocks:  # files of the page, which commands above them do not use
        first, _, rest = block.partition("\n")
        name = first.lstrip("#/ ")
        if kind != "console" and not name.startswith("part of "):
            (tmp_path / name).write_text(block, encoding="utf-8")
    for kind, block in blocks:
        first, _, rest = block.partition("\n")
        if kind == "console":
            for command, expected in COMMAND.findall(block):
                printed = run(command, tmp_path)
                assert matches(expected, printed), f"$ {command}\n{printed}"
                seen += 1
        elif "part of " in first:
            whole = (tmp_path / first.partition("part of ")[2]).read_text(encoding="utf-8")
            assert rest in whole
    assert seen == 9
