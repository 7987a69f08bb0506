"""Progress on standard error, which a pseudo-terminal stands for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

HIDDEN_CURSOR = "\x1b[?25l"
SLOW_PLANNER = """
import time

def plan(buffers, pools):
    print("ready", flush=True)
    time.sleep(600)
"""


def started(folder: Path, *arguments: str) -> tuple[subprocess.Popen[str], int]:
    """`forebay plan` with a terminal as standard error, and the other end of the terminal."""
    (folder / "net.csv").write_text("id,lower,upper,size\na,0,2,10\n")
    terminal, end = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "forebay.cli.main", "plan", "net.csv", *arguments],
        cwd=folder,
        env={**os.environ, "TERM": "xterm"},
        stdout=subprocess.PIPE,
        stderr=end,
        text=True,
    )
    os.close(end)
    return process, terminal


def text_on(terminal: int) -> str:
    """Everything that was written to a terminal whose writers have ended."""
    found = b""
    while True:
        try:
            data = os.read(terminal, 65536)
        except OSError:  # Linux: no process has the other end open
            data = b""
        if not data:
            os.close(terminal)
            return found.decode()
        found += data


def test_a_terminal_shows_the_stage_and_nothing_remains(tmp_path: Path) -> None:
    process, terminal = started(tmp_path)
    output, _ = process.communicate()
    errors = text_on(terminal)
    assert process.returncode == 0
    assert output.startswith("net: 1 buffers by 'auto'")
    assert "\x1b" not in output
    assert "plan" in errors
    assert errors.endswith("\x1b[2K")
    assert HIDDEN_CURSOR not in errors


def test_the_message_of_an_interrupted_command_has_a_line_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW_PLANNER)
    process, terminal = started(tmp_path, "--planner", "slow.py")
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    process.communicate()
    errors = text_on(terminal)
    assert process.returncode == 128 + signal.SIGINT
    assert errors.splitlines()[-1] == "forebay: interrupted"
    assert HIDDEN_CURSOR not in errors


def test_what_is_no_terminal_gets_no_progress(tmp_path: Path) -> None:
    (tmp_path / "net.csv").write_text("id,lower,upper,size\na,0,2,10\n")
    command = [sys.executable, "-m", "forebay.cli.main", "plan", "net.csv"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stderr == ""
