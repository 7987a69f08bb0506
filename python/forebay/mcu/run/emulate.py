"""Runs an image in QEMU with a counting plugin, and parses its console output."""

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
class EmulatedRun:
    """The output of a run: hashes by (step, output), the stack's high-water mark in bytes.

    `mismatches` are the first wrong elements as (step, output, element). `pools` has the end of the
    highest byte that the runs touched, by the number of the pool.
    """

    hashes: dict[tuple[int, int], int]
    mismatches: tuple[tuple[int, int, int], ...]
    stack: int
    pools: dict[int, int]
    guards: dict[int, tuple[int, int]]
    """The number of guard bytes around each pool, and how many of them changed."""


@dataclass(frozen=True)
class EmulatorOutput:
    """The emulator's exit code, the words of each console line, and the emulator's error output."""

    code: int
    lines: tuple[tuple[str, ...], ...]
    errors: str


def run_image(board: Board, elf: Path, arguments: Sequence[str], timeout: float) -> EmulatorOutput:
    """Run an image to its end, in any state; raise `McuError` after `timeout` seconds."""
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
    lines = tuple(words for line in done.stdout.splitlines() if (words := tuple(line.split())))
    return EmulatorOutput(done.returncode, lines, done.stderr)


def emulate(board: Board, elf: Path, arguments: Sequence[str], timeout: float) -> EmulatedRun:
    """Run the image of a self-test to its end.

    Raises `McuError` when the program faults, the network refuses a call or `timeout` seconds pass;
    `ToolError` when the emulator itself fails.
    """
    output = run_image(board, elf, arguments, timeout)
    kinds = {line[0] for line in output.lines}
    # A complete run has printed its stack use, and its exit code agrees with its output.
    if output.code == (MISMATCH if "mismatch" in kinds else PASSED) and "stack" in kinds:
        return _outcome(output.lines)
    raise failure(board, output)


def failure(board: Board, output: EmulatorOutput) -> McuError:
    """Return the error that an incomplete run has printed."""
    for line in output.lines:
        if line[0] == "fault":
            cause, address = (int(text, 16) for text in line[1:3])
            return McuError(f"{board.name}: exception {cause} at {address:#010x}")
        if line[0] == "overflow":
            return McuError(f"{board.name}: the stack overflowed")
        if line[0] == "refused":
            return McuError(f"{board.name}: {line[1]} returned {line[2]}")
    return ToolError(f"{board.emulator.program} ended with {output.code}:\n{output.errors}")


def _outcome(lines: Sequence[Sequence[str]]) -> EmulatedRun:
    numbers = [(line[0], [int(text, 16) for text in line[1:]]) for line in lines]
    return EmulatedRun(
        {(step, output): value for step, output, value in _of(numbers, "hash")},
        tuple((step, output, at) for step, output, at in _of(numbers, "mismatch")),
        max(bytes_ for (bytes_,) in _of(numbers, "stack")),
        {words[0]: words[1] for words in _of(numbers, "pool")},
        {words[0]: (words[1], words[2]) for words in _of(numbers, "guard")},
    )


def _of(lines: Sequence[tuple[str, list[int]]], kind: str) -> list[list[int]]:
    return [numbers for name, numbers in lines if name == kind]
