"""A user's application on an emulated board: any main function, any number of networks."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from forebay.codegen.project.build_files.cmake import library_sources
from forebay.codegen.project.build_files.output_directory import (
    require_replaceable,
    write_directory,
)
from forebay.driver.compiled import Compiled
from forebay.mcu.board import Board
from forebay.mcu.errors import McuError
from forebay.mcu.image.call_graph import read_call_graphs, stack_of_image, with_callbacks
from forebay.mcu.image.compile_c import (
    C_FLAGS,
    RUNTIME,
    call_graph_files,
    compile_file,
    compile_runtime,
)
from forebay.mcu.image.elf import Elf, read_elf
from forebay.mcu.image.image import SCRIPT, kept_files, link
from forebay.mcu.image.linker_script import write_linker_script
from forebay.mcu.image.sections import LinkerRegion, check_sections, regions_of
from forebay.mcu.run.emulate import failure, run_image
from forebay.network.names import naming_of

_ADVICE = "put one of its sections into another memory"


def build_application(
    board: Board,
    sources: Sequence[Path],
    networks: Sequence[Compiled],
    directory: Path,
    *,
    include: Sequence[Path] = (),
    sections: Mapping[str, str] | None = None,
    flags: Sequence[str] = (),
) -> Elf:
    """Link `sources`, one of which has `int main(void)`, with networks; return the image.

    `directory` keeps all files: each network's project in `networks/`, objects, linker script,
    `application.elf`. The sources can include the networks' headers and the folders of `include`,
    and are compiled as C11 with `flags` after the board's.

    `sections` puts sections into memories of the board by name, those of `sources` and of the
    networks' pools alike: `.bss.*` starts as zeros, `.noinit.*` keeps its content, `.rodata.*` is
    part of the image. All other sections are in the board's memories for code, constants and data.

    Raises `McuError` for two networks of one name, for missing sections and for memories that are
    too small; `ToolError` for missing tools and with the compiler's output.
    """
    regions = regions_of(board, sections or {})
    _check_names(networks)
    require_replaceable(directory, lambda _: True)
    with tempfile.TemporaryDirectory(prefix="forebay-mcu-") as temporary:
        work = Path(temporary)
        image = _built(board, sources, networks, work, include, regions, flags)
        check_sections(image, regions)
        write_directory(directory, kept_files(work))
    return replace(image, path=directory.absolute() / image.path.name)


def _built(  # noqa: PLR0917  (build_application's own)
    board: Board,
    sources: Sequence[Path],
    networks: Sequence[Compiled],
    work: Path,
    include: Sequence[Path],
    regions: Sequence[LinkerRegion],
    flags: Sequence[str],
) -> Elf:
    script, elf = work / SCRIPT, work / "application.elf"
    script.touch()
    projects = [it.write(work / "networks" / naming_of(it.info).prefix) for it in networks]
    folders = [f"-I{it.absolute()}" for it in (*include, *projects)]
    own = list(_own(board, sources, [*folders, *flags], work / "objects"))
    nets = list(_networks(board, networks, projects, work / "objects/networks"))
    runtime = compile_runtime(board, [*board.flags, *C_FLAGS], work / "objects/runtime")
    objects = [*own, *nets, *runtime]
    graph = read_call_graphs(call_graph_files(objects))
    if any(network.info.row_inputs for network in networks):
        network, application = (read_call_graphs(call_graph_files(it)) for it in (nets, own))
        graph = with_callbacks(graph, network.frames, application.frames)
    stack = stack_of_image(graph)
    script.write_text(write_linker_script(board, regions, stack, _ADVICE))
    link(board, objects, script, elf)
    return read_elf(elf)


def run_application(board: Board, image: Elf, timeout: float = 120.0) -> int:
    """Run an application from reset and return the result of its `main`.

    Raises `McuError` when the processor takes an exception, the stack overflows or `timeout`
    seconds pass; `ToolError` when the emulator itself fails.
    """
    output = run_image(board, image.path, (), timeout)
    for line in reversed(output.lines):
        if line[0] == "exit":
            code = int(line[1], 16)
            return code - (1 << 32) if code >= 1 << 31 else code
    raise failure(board, output)


def _check_names(networks: Sequence[Compiled]) -> None:
    """Check that all prefixes differ; every external name of a network has its prefix."""
    prefixes = [naming_of(it.info).prefix for it in networks]
    for prefix in prefixes:
        if prefixes.count(prefix) > 1:
            raise McuError(
                f"{prefixes.count(prefix)} networks have the prefix '{prefix}'; compile them "
                "under different names"
            )


def _own(
    board: Board, sources: Sequence[Path], flags: Sequence[str], directory: Path
) -> Iterator[Path]:
    """Compile the application's files, which may have the same name in different folders."""
    # The headers of a C library, if there is one, come before those of the runtime.
    options = [*board.flags, *C_FLAGS, "-std=c11", "-idirafter", str(RUNTIME), *flags]
    for number, source in enumerate(sources):
        yield compile_file(board, source.absolute(), options, directory / f"source{number}")


def _networks(
    board: Board, networks: Sequence[Compiled], projects: Sequence[Path], directory: Path
) -> Iterator[Path]:
    """Compile the sources of each project's library."""
    for network, project in zip(networks, projects, strict=True):
        flags = [*board.flags, *C_FLAGS, f"-I{project}", "-idirafter", str(RUNTIME)]
        files = [path.name for path in project.iterdir()]
        for name in library_sources(files, naming_of(network.info)):
            yield compile_file(board, project / name, flags, directory / project.name)
