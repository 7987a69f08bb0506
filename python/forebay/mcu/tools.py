"""Compilers and emulators: found in PATH, run, with their output in errors."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from forebay.mcu.board import Board, Tool
from forebay.mcu.errors import ToolError


def require(tool: Tool) -> str:
    """Return the path of a program; raise `ToolError` with the package's name if it is missing."""
    found = shutil.which(tool.program)
    if found is None:
        raise ToolError(
            f"there is no {tool.program} in PATH; on Debian: apt-get install {tool.package}"
        )
    return found


def missing(board: Board) -> list[Tool]:
    """Return the tools that a board needs and that are not in PATH."""
    tools = (board.compiler, board.emulator)
    return [tool for tool in tools if shutil.which(tool.program) is None]


def run_tool(command: Sequence[str], directory: Path) -> str:
    """Run a build step and return its output; raise `ToolError` with its messages if it fails."""
    done = subprocess.run(
        command,
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LC_ALL": "C"},
    )
    if done.returncode != 0:
        program = Path(command[0]).name
        output = f"{done.stderr}{done.stdout}"
        raise ToolError(f"{program} failed ({' '.join(command[1:])}):\n{output}", output)
    return done.stdout


def version_of(tool: Tool, directory: Path) -> str:
    """Return the first line of a tool's version output."""
    return run_tool([require(tool), "--version"], directory).splitlines()[0]
