"""C sections that the user puts into memories of a board by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from forebay.mcu.board import Board
from forebay.mcu.errors import McuError
from forebay.mcu.image.elf import Elf
from forebay.mcu.image.linker_script import LinkerRegion

KINDS = (".bss", ".noinit", ".rodata")


def regions_of(board: Board, sections: Mapping[str, str]) -> tuple[LinkerRegion, ...]:
    """Return a linker region for each section, with its memory.

    The compiler decides by the section's name whether its bytes are in the image, so the name must
    begin with one of `KINDS`. Raises `McuError` for other names and for a memory that the board
    does not have.
    """
    return tuple(_region(board, section, memory) for section, memory in sections.items())


def _region(board: Board, section: str, memory: str) -> LinkerRegion:
    kind = next((it for it in KINDS if section.startswith(f"{it}.")), None)
    if kind is None:
        raise McuError(
            f"section '{section}' cannot be put into '{memory}': let its name begin with "
            ".bss. (zeros), .noinit. (left as it was) or .rodata. (constants)"
        )
    known = [it.name for it in board.memories]
    if memory not in known:
        raise McuError(
            f"section '{section}': {board.name} has no memory '{memory}'; "
            f"memories: {', '.join(known)}"
        )
    return LinkerRegion(
        section,
        board.memory(memory),
        f"section '{section}'",
        is_rom=kind == ".rodata",
        is_zeroed=kind == ".bss",
    )


def check_sections(elf: Elf, regions: Sequence[LinkerRegion]) -> None:
    """Raise `McuError` if the image lacks one of the sections that the user placed."""
    present = {section.name for section in elf.sections}
    for region in regions:
        if region.section not in present:
            raise McuError(
                f"nothing lies in section '{region.section}', which was put into memory "
                f"'{region.memory.name}'; is it spelt as in C?"
            )
