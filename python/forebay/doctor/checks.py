"""Checks on a small network, each in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from forebay.doctor.probe import CHECKED_ENGINES, board_check, engine_check
from forebay.formats.environment_report import CheckedAbility, InstalledPackage, InstalledTool
from forebay.support.c_compiler import c_compiler_command

_AT_ONCE = 2
_EXTRA_OF_BOARDS = "mcu"
_SECONDS = 120.0


def checked_abilities(
    board_tools: dict[str, tuple[str, ...]],
    tools: Sequence[InstalledTool],
    packages: Sequence[InstalledPackage],
) -> tuple[CheckedAbility, ...]:
    """Try compilation with each engine, and each board with all of its programs and packages.

    `board_tools` are the names of the programs that each board needs.
    """
    here = {tool.program for tool in tools if tool.path is not None}
    absent = tuple(it.name for it in packages if it.extra == _EXTRA_OF_BOARDS and not it.fits)
    needs: dict[str, tuple[str, ...]] = {engine_check(engine): () for engine in CHECKED_ENGINES}
    if c_compiler_command() is None:
        needs[engine_check("c")] = ("a C compiler",)
    for board, programs in board_tools.items():
        needs[board_check(board)] = (*(it for it in programs if it not in here), *absent)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return tuple(pool.map(_checked, needs, needs.values()))


def _checked(name: str, missing: Sequence[str]) -> CheckedAbility:
    if missing:
        return CheckedAbility(name, "not installed", f"there is no {', no '.join(missing)}")
    error = _error_of(name)
    return CheckedAbility(name, "works" if error is None else "fails", error or "")


def _error_of(check: str) -> str | None:
    """Run a check in a process of its own and return its error, or None."""
    command = [sys.executable, "-m", "forebay.doctor.probe", check]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=_SECONDS,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return f"takes more than {_SECONDS:.0f} s"
    if done.returncode == 0:
        return None
    lines = done.stderr.strip().splitlines()
    reason = lines[-1] if lines else "without a message"
    return reason if done.returncode > 0 else f"ended by signal {-done.returncode}: {reason}"
