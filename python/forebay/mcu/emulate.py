"""Runs an image in QEMU, counting, and reads what it printed."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from forebay.mcu.board import Board
from forebay.mcu.errors import McuError, ToolError
from forebay.mcu.tools import require

PASSED, MISMATCH, REFUSED, FAULT = range(4)
CONSOLE = (
    *("-display", "none", "-monitor", "none", "-serial", "none"),
    *("-chardev", "stdio,id=console"),
    *("-semihosting-config", "enable=on,target=native,chardev=console"),
)


@dataclass(frozen=True)
class Outcome:
    """What a run printed: hashes by (step, output), the stack's high-water mark in bytes.

    `mismatches` are the first wrong elements as (step, output, element).
    """

    hashes: dict[tuple[int, int], int]
    mismatches: tuple[tuple[int, int, int], ...]
    stack: int


def emulate(board: Board, elf: Path, arguments: Sequence[str], timeout: float) -> Outcome:
    """Run an image to its end.

    Raises `McuError` where the program faults, the network refuses a call or `timeout` seconds
    pass; `ToolError` where the emulator itself fails.
    """
    command = [require(board.emulator), *board.machine, *CONSOLE, *arguments, "-kernel", str(elf)]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout,
        )
    except subprocess.TimeoutExpired as error:
        raise McuError(
            f"{board.name}: the program did not end in {timeout:g} s; give it more by --timeout"
        ) from error
    lines = [line.split() for line in done.stdout.splitlines()]
    _check_exit(board, done.returncode, lines, done.stderr)
    return _outcome(lines)


def _check_exit(board: Board, code: int, lines: Sequence[Sequence[str]], errors: str) -> None:
    """A run that came to its end has reported, and its code says what it printed."""
    kinds = {line[0] for line in lines if line}
    if code == (MISMATCH if "mismatch" in kinds else PASSED) and "stack" in kinds:
        return
    for line in lines:
        if line[:1] == ["fault"]:
            cause, address = (int(text, 16) for text in line[1:3])
            raise McuError(f"{board.name}: exception {cause} at {address:#010x}")
        if line[:1] == ["overflow"]:
            raise McuError(f"{board.name}: the stack overflowed")
        if line[:1] == ["refused"]:
            raise McuError(f"{board.name}: {line[1]} returned {line[2]}")
    raise ToolError(f"{board.emulator.program} ended with {code}:\n{errors}")


def _outcome(lines: Sequence[Sequence[str]]) -> Outcome:
    numbers = [(line[0], [int(text, 16) for text in line[1:]]) for line in lines if line]
    return Outcome(
        {(step, output): value for step, output, value in _of(numbers, "hash")},
        tuple((step, output, at) for step, output, at in _of(numbers, "mismatch")),
        max(bytes_ for (bytes_,) in _of(numbers, "stack")),
    )


def _of(lines: Sequence[tuple[str, list[int]]], kind: str) -> list[list[int]]:
    return [numbers for name, numbers in lines if name == kind]
