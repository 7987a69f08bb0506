"""Builds a network's project, a main and the runtime into an image for a board."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from forebay.codegen.names import Naming
from forebay.mcu.board import Board
from forebay.mcu.call_graph import CallGraph, read_call_graphs
from forebay.mcu.errors import McuError
from forebay.mcu.placement import Placed
from forebay.mcu.tools import ToolError, require, run

RUNTIME = Path(__file__).parent / "runtime"
COMMON = ("check.c", "semihosting.c", "stack.c", "start.c", "string.c")

FLAGS = (
    "-Os",
    "-std=c99",
    "-ffreestanding",
    "-ffp-contract=off",
    "-ffunction-sections",
    "-fdata-sections",
    # Each operator stays a function of its own, so that its code and instructions are its own.
    "-fno-inline-functions-called-once",
    "-fno-inline-small-functions",
    "-fno-ipa-icf",
    "-fcallgraph-info=su",
)
RUNTIME_FLAGS = ("-fno-tree-loop-distribute-patterns",)
LINK_FLAGS = ("-nostdlib", "-nostartfiles", "-static", "-Wl,--gc-sections", "-Wl,--build-id=none")

_OVERFLOW = re.compile(r"region [`'](\w+)' overflowed by (\d+) bytes?")


@dataclass(frozen=True)
class Objects:
    """Compiled files, and the call graphs of the network's files and of all."""

    files: tuple[Path, ...]
    network: CallGraph
    program: CallGraph


def compile_sources(
    project: Path,
    naming: Naming,
    board: Board,
    placed: Sequence[Placed],
    directory: Path,
    *,
    extra: Sequence[str] = (),
) -> Objects:
    """Compile `project`, `directory`'s main.c and the runtime into `directory`.

    `extra` are flags behind the board's. Raises `ToolError` with the compiler's words.
    """
    flags = [*board.flags, *FLAGS, *extra, f"-I{RUNTIME}", f"-I{project}"]
    placing = [
        f"-D{naming.pool_macro(it.pool.name)}_ATTRIBUTES={_attributes(it, naming)}" for it in placed
    ]
    network = sorted(p for p in project.glob("*.c") if p.stem != f"{naming.prefix}_selftest")
    runtime = [RUNTIME / name for name in (*COMMON, *board.startup)]
    own = [_compile(board, it, [*flags, *placing], directory / "network") for it in network]
    others = [_compile(board, directory / "main.c", flags, directory / "program")]
    others += [
        _compile(board, it, [*flags, *RUNTIME_FLAGS], directory / "program") for it in runtime
    ]
    return Objects(
        (*own, *others), read_call_graphs(_graphs(own)), read_call_graphs(_graphs([*own, *others]))
    )


def _graphs(objects: Sequence[Path]) -> list[Path]:
    """What the compiler wrote beside them; files in assembly have none."""
    return [path for it in objects if (path := it.with_suffix(".ci")).exists()]


def _attributes(placed: Placed, naming: Naming) -> str:
    align = f"{naming.pool_macro(placed.pool.name)}_ALIGN"
    return f'__attribute__((section("{placed.section}"), aligned({align})))'


def _compile(board: Board, source: Path, flags: Sequence[str], directory: Path) -> Path:
    """Two files of one name lie in different directories."""
    directory.mkdir(exist_ok=True)
    target = directory / f"{source.stem}.o"
    try:
        run([require(board.compiler), *flags, "-c", str(source), "-o", str(target)], directory)
    except ToolError as error:
        if "math.h: No such file" not in str(error):
            raise
        raise ToolError(_without_library(source, board)) from error
    return target


def _without_library(source: Path, board: Board) -> str:
    text = f"{source.name} computes with functions of math.h, and {board.compiler.program} finds "
    if board.library is None:
        return f"{text}none: {board.name} runs networks of integers"
    return f"{text}no C library; on Debian: apt-get install {board.library}"


def link(board: Board, objects: Sequence[Path], script: Path, elf: Path) -> None:
    """Link an image; `McuError` where a memory is too small, `ToolError` for all else."""
    compiler = require(board.compiler)
    library = run([compiler, *board.flags, "-print-file-name=libm.a"], elf.parent).strip()
    math = ["-lm", "-lc"] if Path(library).is_absolute() else []
    command = [compiler, *board.flags, *LINK_FLAGS, "-T", str(script)]
    inputs = [str(target) for target in objects]
    try:
        run([*command, *inputs, *math, "-lgcc", "-o", str(elf)], elf.parent)
    except ToolError as error:
        raise _explained(error, board) from error


def _explained(error: ToolError, board: Board) -> McuError:
    """What the linker says about memories that are too small, in the order of its output."""
    text = str(error)
    pools = re.findall(r"memory '.*=MEMORY", text)
    regions = [
        f"memory '{name}' of {board.name} ({board.memory(name).size:,} bytes) is {int(excess):,} "
        "bytes too small for what is linked into it"
        for name, excess in _OVERFLOW.findall(text)
    ]
    if not pools and not regions:
        return error
    return McuError("\n".join(["the image does not fit:", *pools, *regions]))
