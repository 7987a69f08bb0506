"""Run a converter of another package in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from forebay.frontends.errors import UnsupportedModel

_LAST_LINES = 5


def run_script(name: str, arguments: Sequence[str | Path], model: str) -> None:
    """Run a program of the folder `scripts` with this interpreter.

    Raises `UnsupportedModel` with the last lines of its output where it fails.
    """
    script = Path(__file__).parent / "scripts" / f"{name}.py"
    run_converter([sys.executable, str(script), *map(str, arguments)], model)


def run_converter(command: Sequence[str], model: str) -> None:
    """Run a command; raise `UnsupportedModel` where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return
    lines = [line for line in done.stderr.splitlines() if line.strip()][-_LAST_LINES:]
    reason = "\n  ".join(lines) or f"exit code {done.returncode}"
    raise UnsupportedModel(f"the converter refused it:\n  {reason}", model)
