"""Writer of an image's linker script: the board's memories and the sections in each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from forebay.mcu.board import Board, BoardMemory

ALIGN = 16
GUARD = 64
"""Bytes below and above a pool that no run may write."""


@dataclass(frozen=True)
class LinkerRegion:
    """A section that is linked into a chosen memory, with its name in C.

    If `is_rom`, its bytes are part of the image. Otherwise it only reserves memory, which the start
    code fills with zeros if `is_zeroed`. `title` is its name in messages. With an `address` it is
    placed there and occupies `size` bytes, regardless of its content.
    """

    section: str
    memory: BoardMemory
    title: str
    align: int = ALIGN
    is_rom: bool = False
    is_zeroed: bool = False
    address: int | None = None
    size: int = 0
    guard: str | None = None
    """The name of the pool in the symbols of its guard bytes, if it has them."""


def write_linker_script(
    board: Board,
    regions: Sequence[LinkerRegion],
    stack: int,
    advice: str,
    *,
    guard: int = GUARD,
) -> str:
    """Return the script for an image whose stack has `stack` bytes.

    `advice` ends the message about a memory that is too small for its regions. Pools with guards
    have `guard` bytes on each side, or more for the alignment.
    """
    numbered = list(enumerate(regions))
    movable = [(at, it) for at, it in numbered if it.address is None]
    first, last = fixed_in_order(numbered, board)
    sections = [_fixed(it, at) for at, it in first]
    sections += [_vectors(board), *(_region(it, at) for at, it in movable if it.is_rom)]
    sections += [_text(board, regions), _stack(board, stack)]
    for at, it in movable:
        if not it.is_rom:
            sections += _guarded(it, at, guard)
    sections += [_data(board), _bss(board), *(_fixed(it, at) for at, it in last)]
    return (
        "\n\n".join(
            [
                f"/* {board.title}. Written by forebay. */\nENTRY(reset_handler)",
                _memory(board),
                _segments(regions),
                "SECTIONS\n{\n" + "\n\n".join(sections) + f"\n\n{_DISCARDED}\n}}",
                *_limits(board, regions, stack, advice),
            ]
        )
        + "\n"
    )


Numbered = list[tuple[int, LinkerRegion]]


def fixed_in_order(regions: Numbered, board: Board) -> tuple[Numbered, Numbered]:
    """Return the regions at addresses, ascending: those before all other sections, and those after.

    Sections without an address follow the first group, so the larger free part of the memory
    decides about the group. The vectors are always at the beginning of their memory.
    """
    fixed = [(at, it) for at, it in regions if it.address is not None]
    fixed.sort(key=lambda numbered: numbered[1].address or 0)
    first: Numbered = []
    last: Numbered = []
    for at, it in fixed:
        before = (it.address or 0) - it.memory.address
        behind = it.memory.end - (it.address or 0) - it.size
        is_first = before < behind and it.memory.name != board.code
        (first if is_first else last).append((at, it))
    return first, last


_DISCARDED = "    /DISCARD/ : { *(.ARM.exidx* .ARM.extab* .eh_frame*) }"


def _memory(board: Board) -> str:
    lines = [
        f"    {m.name} : ORIGIN = {m.address:#010x}, LENGTH = {m.size:#x} /* {m.title} */"
        for m in board.memories
    ]
    return "MEMORY\n{\n" + "\n".join(lines) + "\n}"


def _segments(regions: Sequence[LinkerRegion]) -> str:
    """Return one segment for each output section, so that none spans a gap and rights are exact."""
    own = [("vectors", 5), ("text", 5), ("rodata", 4), ("stack", 6), ("data", 6), ("bss", 6)]
    own += [(f"region{at}", 4 if it.is_rom else 6) for at, it in enumerate(regions)]
    lines = [f"    {name} PT_LOAD FLAGS({rights});" for name, rights in own]
    return "PHDRS\n{\n" + "\n".join(lines) + "\n}"


def _vectors(board: Board) -> str:
    return f"    .vectors : {{ KEEP(*(.vectors)) }} > {board.code} :vectors"


def _text(board: Board, regions: Sequence[LinkerRegion]) -> str:
    zeroed = [".bss", *(it.section for it in regions if it.is_zeroed)]
    table = "\n".join(f"        LONG(ADDR({it})) LONG(SIZEOF({it}))" for it in zeroed)
    return f"""\
    .text : ALIGN({ALIGN})
    {{ *(.text .text.*) }} > {board.code} :text

    .rodata : ALIGN({ALIGN})
    {{
        *(.rodata .rodata.* .srodata .srodata.*)
        . = ALIGN(4);
        zero_table = .;
{table}
        zero_table_end = .;
    }} > {board.rodata} :rodata"""


def _stack(board: Board, size: int) -> str:
    """Place the stack at the bottom of its memory, so that an overflow overwrites nothing."""
    return f"""\
    .stack (NOLOAD) : ALIGN({ALIGN})
    {{
        stack_start = .;
        . += {size};
        stack_end = .;
    }} > {board.data} :stack"""


def _data(board: Board) -> str:
    return f"""\
    .data : ALIGN({ALIGN})
    {{
        data_start = .;
        *(.data .data.*)
        PROVIDE(__global_pointer$ = . + 0x800);
        *(.sdata .sdata.*)
        . = ALIGN({ALIGN});
        data_end = .;
    }} > {board.data} AT > {board.rodata} :data
    data_image = LOADADDR(.data);"""


def _bss(board: Board) -> str:
    return f"""\
    .bss (NOLOAD) : ALIGN({ALIGN})
    {{
        *(.sbss .sbss.* .bss .bss.* COMMON)
    }} > {board.data} AT > {board.data} :bss"""


def _region(region: LinkerRegion, number: int) -> str:
    """Return an output section before those that match `.rodata.*` or `.bss.*` in general."""
    load, memory = "" if region.is_rom else " (NOLOAD)", region.memory.name
    return (
        f"    {region.section}{load} : ALIGN({region.align})\n"
        f"    {{ KEEP(*({region.section})) }} > {memory} AT > {memory} :region{number}"
    )


def _guarded(region: LinkerRegion, number: int, size: int) -> list[str]:
    """Return an output section directly between two of guard bytes, if it has them."""
    if region.guard is None:
        return [_region(region, number)]
    below = -(-size // region.align) * region.align
    return [
        _guard(region, number, "below", below, region.align),
        _region(region, number),
        _guard(region, number, "above", size, 1),
    ]


def _guard(region: LinkerRegion, number: int, side: str, size: int, align: int) -> str:
    symbol, memory = f"guard_{side}_{region.guard}", region.memory.name
    return (
        f"    {GUARD_SECTION}{side}.{region.guard} (NOLOAD) : ALIGN({align})\n"
        f"    {{ {symbol} = .; . += {size}; {symbol}_end = .; }} > {memory} AT > {memory} "
        f":region{number}"
    )


GUARD_SECTION = ".guard."
"""The beginning of the names of output sections of guard bytes."""


def _fixed(region: LinkerRegion, number: int) -> str:
    """Return an output section at its address, and an assertion that the address is free."""
    load, memory = "" if region.is_rom else " (NOLOAD)", region.memory.name
    section, address = region.section, f"{region.address or 0:#010x}"
    message = f"{region.title} is at {address} by its target, but memory '{memory}' is taken there"
    return (
        f"    {section}.free (NOLOAD) : {{ }} > {memory}\n"
        f'    ASSERT(ADDR({section}.free) <= {address}, "{message}")\n'
        f"    {section} {address}{load} : AT({address})\n"
        f"    {{ KEEP(*({section})) . = {region.size}; }} > {memory} :region{number}"
    )


def _limits(board: Board, regions: Sequence[LinkerRegion], stack: int, advice: str) -> list[str]:
    """Return, for each memory with regions, an assertion that says what it must hold."""
    memories = [it for it in board.memories if any(region.memory == it for region in regions)]
    return [_limit(it, board, regions, stack, advice) for it in memories]


def _limit(
    memory: BoardMemory, board: Board, regions: Sequence[LinkerRegion], stack: int, advice: str
) -> str:
    here = [it for it in regions if it.memory == memory]
    own = [".text"] if memory.name == board.code else []
    own += [".rodata"] if memory.name == board.rodata else []
    own += [".data", ".bss"] if memory.name == board.data else []
    fixed = [f"stack {stack:,}"] if memory.name == board.data else []
    held = [*(it.title for it in here), *fixed, *own]
    message = (
        f"memory '{memory.name}' has {memory.size:,} bytes and must hold {', '.join(held)}: "
        f"{advice}"
    )
    end = f"ORIGIN({memory.name}) + LENGTH({memory.name})"
    sections = [*(it.section for it in here), *own]
    inside = " && ".join(f"ADDR({it}) + SIZEOF({it}) <= {end}" for it in sections)
    return f'ASSERT({inside}, "{message}")'
