"""Reader of a linked image: sections, symbols and pools with their addresses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from forebay.mcu.board import Board
from forebay.mcu.errors import McuError, ToolError
from forebay.mcu.image.placement import PlacedPool

_ALLOC = 0x2


@dataclass(frozen=True)
class Section:
    """A section of the image; `load` is its address before the start code copies it."""

    name: str
    address: int
    size: int
    load: int
    in_file: bool


@dataclass(frozen=True)
class ElfSymbol:
    """A function or an object."""

    name: str
    address: int
    size: int
    is_function: bool


@dataclass(frozen=True)
class Elf:
    """Sections that occupy memory, and symbols, both sorted by address."""

    path: Path
    sections: tuple[Section, ...]
    symbols: tuple[ElfSymbol, ...]

    @property
    def functions(self) -> tuple[ElfSymbol, ...]:
        """Functions that have code."""
        return tuple(symbol for symbol in self.symbols if symbol.is_function and symbol.size)

    def address_of(self, name: str) -> int:
        """Return the address of a function; raise `McuError` if the image has none of this name."""
        for symbol in self.functions:
            if symbol.name == name:
                return symbol.address
        raise McuError(f"the image has no function '{name}'")


def read_elf(path: Path) -> Elf:
    """Read an image; raise `ToolError` if pyelftools is not installed."""
    try:
        from elftools.elf.elffile import ELFFile  # noqa: PLC0415  (an optional dependency)
    except ImportError as error:
        raise ToolError("images are read by pyelftools: pip install 'forebay[mcu]'") from error
    with path.open("rb") as file:
        elf: Any = ELFFile(file)
        segments: list[Any] = [s for s in elf.iter_segments() if s["p_type"] == "PT_LOAD"]
        sections = [
            Section(
                section.name,
                section["sh_addr"],
                section["sh_size"],
                _load_address(section, segments),
                section["sh_type"] != "SHT_NOBITS",
            )
            for section in elf.iter_sections()
            if section["sh_flags"] & _ALLOC and section["sh_size"]
        ]
        symbols = _symbols(elf)
    return Elf(
        path,
        tuple(sorted(sections, key=lambda it: it.address)),
        tuple(sorted(set(symbols), key=lambda it: (it.address, it.name))),
    )


def _load_address(section: Any, segments: Sequence[Any]) -> int:
    for segment in segments:
        if segment.section_in_segment(section):
            return section["sh_addr"] - segment["p_vaddr"] + segment["p_paddr"]
    return section["sh_addr"]


def _symbols(elf: Any) -> list[ElfSymbol]:
    """Return functions and objects; bit 0 of a Thumb function's address is not part of it."""
    entries: list[Any] = list(elf.get_section_by_name(".symtab").iter_symbols())
    is_thumb = elf["e_machine"] == "EM_ARM"
    kinds = ("STT_FUNC", "STT_OBJECT")
    return [
        ElfSymbol(
            entry.name,
            entry["st_value"] & ~1 if is_thumb and kind == "STT_FUNC" else entry["st_value"],
            entry["st_size"],
            kind == "STT_FUNC",
        )
        for entry in entries
        if (kind := entry["st_info"]["type"]) in kinds
    ]


def check_placed_pools(elf: Elf, board: Board, placed: Sequence[PlacedPool]) -> dict[str, int]:
    """Return the address of each pool; raise `McuError` if one differs from its placement."""
    return {it.pool.name: _checked_address(elf, board, it) for it in placed}


def _checked_address(elf: Elf, board: Board, placed: PlacedPool) -> int:
    pool, memory = placed.pool, placed.memory
    sections = {section.name: section for section in elf.sections}
    if placed.section not in sections:
        raise McuError(f"pool '{pool.name}': the image has no section '{placed.section}'")
    section = sections[placed.section]
    if placed.address is not None and (section.address, section.size) != (
        placed.address,
        placed.size,
    ):
        raise McuError(
            f"pool '{pool.name}': its section '{placed.section}' has {section.size:,} bytes at "
            f"{section.address:#010x}, not {placed.size:,} at {placed.address:#010x}"
        )
    if placed.symbol is None:
        return _of_kind(section, placed)
    found = [s for s in elf.symbols if s.name == placed.symbol and not s.is_function]
    inside = [s for s in found if section.address <= s.address < section.address + section.size]
    # the size of a structure of constants is a multiple of its members' alignment
    if len(inside) != 1 or not 0 <= inside[0].size - placed.size < pool.alignment:
        raise McuError(
            f"pool '{pool.name}': section '{placed.section}' does not hold one object "
            f"'{placed.symbol}' of {placed.size:,} bytes"
        )
    address = inside[0].address
    if not memory.holds(address, placed.size):
        raise McuError(
            f"pool '{pool.name}' lies at {address:#010x}, which is not in memory "
            f"'{memory.name}' of {board.name}"
        )
    if placed.address is None and address % pool.alignment:
        raise McuError(f"pool '{pool.name}' at {address:#010x} is not aligned to {pool.alignment}")
    _of_kind(section, placed)
    return address


def _of_kind(section: Section, placed: PlacedPool) -> int:
    """Return the section's address; check that it is in the image file exactly if it must be."""
    if section.in_file != placed.is_in_image:
        kind = "takes room in" if section.in_file else "is not part of"
        raise McuError(f"pool '{placed.pool.name}': its section '{section.name}' {kind} the image")
    return section.address
