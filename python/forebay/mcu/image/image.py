"""Builds an image for a board from a network's project, a main file and the runtime."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from forebay.cpus import GENERIC
from forebay.mcu.board import Board
from forebay.mcu.errors import McuError
from forebay.mcu.image.call_graph import CallGraph, read_call_graphs
from forebay.mcu.image.compile_c import (
    PROGRAM_FLAGS,
    RUNTIME,
    call_graph_files,
    compile_file,
    compile_runtime,
    network_flags,
)
from forebay.mcu.image.placement import PlacedPool
from forebay.mcu.tools import ToolError, require, run_tool
from forebay.network.names import Naming
from forebay.network.pool_images import image_name
from forebay.options.choices import Optimize

SCRIPT = "board.ld"
LINK_FLAGS = ("-nostdlib", "-nostartfiles", "-static", "-Wl,--gc-sections", "-Wl,--build-id=none")

_OVERFLOW = re.compile(r"region [`'](\w+)' overflowed by (\d+) bytes?")


@dataclass(frozen=True)
class ObjectFiles:
    """Object files, the call graph of the network's files, and the call graph of all files."""

    files: tuple[Path, ...]
    network: CallGraph
    program: CallGraph


def kept_files(work: Path) -> dict[str, bytes]:
    """Return all files of a build by path, for the user's directory."""
    files = sorted(path for path in work.rglob("*") if path.is_file())
    return {path.relative_to(work).as_posix(): path.read_bytes() for path in files}


def compile_sources(
    project: Path,
    naming: Naming,
    board: Board,
    placed: Sequence[PlacedPool],
    directory: Path,
    *,
    extra: Sequence[str] = (),
    optimize: Optimize = "size",
    cpu: str = GENERIC,
) -> ObjectFiles:
    """Compile `project`, `directory`'s main.c and the runtime into `directory`.

    Object files of the project are linked as they are; the call graphs do not contain them.
    `extra` are flags after the board's; `optimize` and `cpu` are for the network's files. Raises
    `ToolError` with the compiler's output, `McuError` for a processor that the board does not have.
    """
    common = [*extra, f"-I{RUNTIME}", f"-I{project}"]
    flags = [*board.flags, *PROGRAM_FLAGS, *common]
    placing = [
        flag for it in placed if it.address is None for flag in _placing(it, naming, project)
    ]
    left_out = {f"{naming.prefix}_selftest", f"{naming.prefix}_wrappers"}
    network = sorted(
        path for path in (*project.glob("*.c"), *project.glob("*.S")) if path.stem not in left_out
    )
    fast = [*network_flags(board, cpu, optimize), *common, *placing]
    objects = [compile_file(board, it, fast, directory / "network") for it in network]
    others = [compile_file(board, directory / "main.c", flags, directory / "program")]
    others += compile_runtime(board, flags, directory / "program")
    own_graph = read_call_graphs(call_graph_files(objects))
    given = sorted(project.glob("*.o"))
    return ObjectFiles(
        (*objects, *given, *others),
        own_graph,
        read_call_graphs(call_graph_files([*objects, *others])),
    )


def _placing(placed: PlacedPool, naming: Naming, project: Path) -> Iterator[str]:
    """Yield flags for a pool's section; the bytes of constants in the image are assembled."""
    macro = naming.pool_macro(placed.pool.name)
    yield f'-D{macro}_SECTION="{placed.section}"'
    if placed.pool.is_rom:
        yield f'-D{macro}_IMAGE="{project / image_name(placed.pool, naming)}"'


def link(board: Board, objects: Sequence[Path], script: Path, elf: Path) -> None:
    """Link an image; raise `McuError` if a memory is too small, `ToolError` for other failures."""
    compiler = require(board.compiler)
    library = run_tool([compiler, *board.flags, "-print-file-name=libm.a"], elf.parent).strip()
    math = ["-lm", "-lc"] if Path(library).is_absolute() else []
    command = [compiler, *board.flags, *LINK_FLAGS, "-T", str(script)]
    inputs = [str(target) for target in objects]
    try:
        run_tool([*command, *inputs, *math, "-lgcc", "-o", str(elf)], elf.parent)
    except ToolError as error:
        raise _explained(error, board) from error


def _explained(error: ToolError, board: Board) -> McuError:
    """Return the linker's messages about memories that are too small, in order."""
    text = error.output
    limits = re.findall(r"memory '.* bytes and must hold .*|pool '.* is taken there", text)
    regions = [
        f"memory '{name}' of {board.name} ({board.memory(name).size:,} bytes) is {int(excess):,} "
        "bytes too small for what is linked into it"
        for name, excess in _OVERFLOW.findall(text)
    ]
    if not limits and not regions:
        return error
    return McuError("\n".join(["the image does not fit:", *limits, *regions]))
