"""The programs outside of Python that commands start, and their versions."""

from __future__ import annotations

import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

from forebay.formats.environment_report import InstalledTool
from forebay.mcu import boards
from forebay.mcu.board import Tool
from forebay.support.c_compiler import c_compiler_command

_SECONDS = 20.0
_FOR_TESTS = (Tool("clang", "clang"), Tool("cppcheck", "cppcheck"))


def installed_tools() -> tuple[InstalledTool, ...]:
    """Return the C compiler, the tools of all boards, and those of tests only."""
    command = c_compiler_command()
    compiler = Tool(command[0] if command else "cc", "gcc")
    used_for = {compiler: "run --engine c, and the check of the C code"}
    for name in boards.names():
        board = boards.load(name)
        for tool in (board.compiler, board.emulator):
            used_for[tool] = f"{used_for[tool]}, {name}" if tool in used_for else f"mcu: {name}"
    for tool in _FOR_TESTS:
        used_for.setdefault(tool, "tests of the generated C")
    return tuple(_installed(tool, purpose) for tool, purpose in used_for.items())


def programs_of_boards() -> dict[str, tuple[str, ...]]:
    """Return the programs that each board needs."""
    found = {name: boards.load(name) for name in boards.names()}
    return {name: (it.compiler.program, it.emulator.program) for name, it in found.items()}


def _installed(tool: Tool, used_for: str) -> InstalledTool:
    path = shutil.which(tool.program)
    return InstalledTool(
        program=Path(tool.program).name,
        debian=tool.package,
        used_for=used_for,
        path=path,
        version=None if path is None else _version(path),
    )


def _version(path: str) -> str | None:
    """Return the first line with a digit of the version output, or None if there is none."""
    with suppress(OSError, subprocess.TimeoutExpired):
        done = subprocess.run(
            [path, "--version"],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=_SECONDS,
            stdin=subprocess.DEVNULL,
        )
        lines = done.stdout.splitlines()
        return next((line for line in lines if any(map(str.isdigit, line))), None)
    return None
