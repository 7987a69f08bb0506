"""Bytes of each memory that an image uses, by section."""

from __future__ import annotations

from forebay.formats.mcu_report import MemoryUse
from forebay.mcu.board import Board
from forebay.mcu.image.elf import Elf
from forebay.mcu.image.linker_script import GUARD_SECTION


def memory_use(elf: Elf, board: Board) -> tuple[MemoryUse, ...]:
    """Return the use of each memory; `.data` counts at its run and at its load address.

    Bytes around pools, which are there only to find wrong writes, are not counted.
    """
    places = [
        (section.name, section.address, section.size)
        for section in elf.sections
        if not section.name.startswith(GUARD_SECTION)
    ]
    places += [
        (f"{section.name} (initial values)", section.load, section.size)
        for section in elf.sections
        if section.in_file and section.load != section.address
    ]
    return tuple(
        MemoryUse(
            memory.name,
            memory.address,
            memory.size,
            {name: size for name, address, size in places if memory.holds(address)},
        )
        for memory in board.memories
    )
