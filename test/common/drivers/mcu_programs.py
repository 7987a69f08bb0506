"""Small programs in C on the boards' runtime, for tests of what surrounds a network."""

from collections.abc import Sequence
from pathlib import Path

from forebay.mcu import Board
from forebay.mcu.image.elf import Elf, read_elf
from forebay.mcu.image.image import compile_sources, link
from forebay.mcu.image.linker_script import write_linker_script
from forebay.network.model import ModelInfo
from forebay.network.names import naming_of

NAMING = naming_of(ModelInfo("net", (), (), (), source_hash=""))


def built(board: Board, directory: Path, network: str, main: str, stack: int = 1024) -> Elf:
    """Return the image of a file in the network's place and a main."""
    project = directory / "model"
    project.mkdir()
    (project / "net.c").write_text(network)
    (directory / "main.c").write_text('#include "bare_board.h"\n' + main)
    objects = compile_sources(project, NAMING, board, (), directory)
    return linked(board, directory, objects.files, stack)


def linked(board: Board, directory: Path, objects: Sequence[Path], stack: int) -> Elf:
    script, elf = directory / "board.ld", directory / "net.elf"
    script.write_text(write_linker_script(board, (), stack, ""))
    link(board, objects, script, elf)
    return read_elf(elf)
