"""Compiles C and assembly files for a board, with a call graph for each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from forebay.cpus import schedule_of
from forebay.mcu.board import Board
from forebay.mcu.tools import ToolError, require, run_tool
from forebay.options.choices import Optimize

RUNTIME = Path(__file__).parent / "runtime"
COMMON = ("check.c", "semihosting.c", "stack.c", "start.c", "string.c")

_COMMON = (
    "-std=c99",
    "-ffreestanding",
    "-ffp-contract=off",
    "-ffunction-sections",
    "-fdata-sections",
    "-fcallgraph-info=su",
)
C_FLAGS = ("-Os", *_COMMON)
"""Flags for a program beside the network, without those of the board."""

_OPTIMIZED: dict[Optimize, str] = {"speed": "-O2", "size": "-Os"}

# Keep each operator a function of its own, so that its code and instructions can be counted.
_APART = (
    "-fno-inline-functions-called-once",
    "-fno-inline-small-functions",
    "-fno-ipa-icf",
)
PROGRAM_FLAGS = (*C_FLAGS, *_APART)
"""The same, for the program that measures a network."""

RUNTIME_FLAGS = ("-fno-tree-loop-distribute-patterns", f"-I{RUNTIME}")


def network_flags(board: Board, cpu: str, optimize: Optimize) -> tuple[str, ...]:
    """Return the flags for a network's code, as its schedule needs them.

    Raises `McuError` for a processor that the board does not have.
    """
    flags = schedule_of(cpu).flags if optimize == "speed" else ()
    return (*board.flags_for(cpu), _OPTIMIZED[optimize], *flags, *_COMMON, *_APART)


def compile_file(board: Board, source: Path, flags: Sequence[str], directory: Path) -> Path:
    """Compile one file into `directory` and return the object file.

    Two files of one name need different directories. Raises `ToolError` with the compiler's output.
    """
    directory.mkdir(parents=True, exist_ok=True)
    target = directory / f"{source.stem}.o"
    try:
        run_tool([require(board.compiler), *flags, "-c", str(source), "-o", str(target)], directory)
    except ToolError as error:
        if "math.h: No such file" not in error.output:
            raise
        raise ToolError(_without_library(source, board)) from error
    return target


def compile_runtime(board: Board, flags: Sequence[str], directory: Path) -> list[Path]:
    """Compile the runtime of every program: reset, C environment, console, memory functions."""
    sources = [RUNTIME / name for name in (*COMMON, *board.startup)]
    return [compile_file(board, it, [*flags, *RUNTIME_FLAGS], directory) for it in sources]


def call_graph_files(objects: Sequence[Path]) -> list[Path]:
    """Return the call graph files next to the objects; files in assembly have none."""
    return [path for it in objects if (path := it.with_suffix(".ci")).exists()]


def _without_library(source: Path, board: Board) -> str:
    text = f"{source.name} computes with functions of math.h, and {board.compiler.program} finds "
    if board.library is None:
        return f"{text}none: {board.name} runs networks of integers"
    return f"{text}no C library; on Debian: apt-get install {board.library}"
