"""The linker script of an image: the board's memories, the pools where they were placed."""

from __future__ import annotations

from collections.abc import Sequence

from forebay.mcu.board import Board, Memory
from forebay.mcu.placement import Placed

ALIGN = 16


def write_linker_script(board: Board, placed: Sequence[Placed], stack: int) -> str:
    """Return the script for an image whose stack has `stack` bytes."""
    sections = [_vectors(board), *(_pool(it) for it in placed if it.pool.is_rom)]
    sections += [_text(board), _stack(board, stack)]
    sections += [_pool(it) for it in placed if not it.pool.is_rom]
    sections += [_data(board), _bss(board)]
    return (
        "\n\n".join(
            [
                f"/* {board.title}. Written by forebay. */\nENTRY(reset_handler)",
                _memory(board),
                _segments(placed),
                "SECTIONS\n{\n" + "\n\n".join(sections) + f"\n\n{_DISCARDED}\n}}",
                *_limits(board, placed, stack),
            ]
        )
        + "\n"
    )


_DISCARDED = "    /DISCARD/ : { *(.ARM.exidx* .ARM.extab* .eh_frame*) }"


def _memory(board: Board) -> str:
    lines = [
        f"    {m.name} : ORIGIN = {m.address:#010x}, LENGTH = {m.size:#x} /* {m.title} */"
        for m in board.memories
    ]
    return "MEMORY\n{\n" + "\n".join(lines) + "\n}"


def _segments(placed: Sequence[Placed]) -> str:
    """A segment for each output section, so that none spans a gap and rights are exact."""
    lines = [f"    {_segment(it)} PT_LOAD FLAGS({4 if it.pool.is_rom else 6});" for it in placed]
    own = [("vectors", 5), ("text", 5), ("rodata", 4), ("stack", 6), ("data", 6), ("bss", 6)]
    lines = [f"    {name} PT_LOAD FLAGS({rights});" for name, rights in own] + lines
    return "PHDRS\n{\n" + "\n".join(lines) + "\n}"


def _segment(placed: Placed) -> str:
    return f"pool_{placed.symbol}"


def _vectors(board: Board) -> str:
    return f"    .vectors : {{ KEEP(*(.vectors)) }} > {board.code} :vectors"


def _text(board: Board) -> str:
    return f"""\
    .text : ALIGN({ALIGN})
    {{ *(.text .text.*) }} > {board.code} :text

    .rodata : ALIGN({ALIGN})
    {{ *(.rodata .rodata.* .srodata .srodata.*) }} > {board.rodata} :rodata"""


def _stack(board: Board, size: int) -> str:
    """At the bottom of its memory: an overflow leaves the memory, it overwrites nothing."""
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
        bss_start = .;
        *(.sbss .sbss.* .bss .bss.* COMMON)
        bss_end = .;
    }} > {board.data} AT > {board.data} :bss"""


def _pool(placed: Placed) -> str:
    """Its own output section, before those that match `.rodata.*` or `.bss.*` in general."""
    pool = placed.pool
    load, memory = "" if pool.is_rom else " (NOLOAD)", placed.memory.name
    return (
        f"    {placed.section}{load} : ALIGN({pool.alignment})\n"
        f"    {{ KEEP(*({placed.section})) }} > {memory} AT > {memory} :{_segment(placed)}"
    )


def _limits(board: Board, placed: Sequence[Placed], stack: int) -> list[str]:
    """Per memory with pools an assertion that says what it must hold."""
    memories = [it for it in board.memories if any(pool.memory == it for pool in placed)]
    return [_limit(it, board, placed, stack) for it in memories]


def _limit(memory: Memory, board: Board, placed: Sequence[Placed], stack: int) -> str:
    pools = [it for it in placed if it.memory == memory]
    own = [".text"] if memory.name == board.code else []
    own += [".rodata"] if memory.name == board.rodata else []
    own += [".data", ".bss"] if memory.name == board.data else []
    fixed = [f"stack {stack:,}"] if memory.name == board.data else []
    held = [*(f"pool '{it.pool.name}' {it.size:,}" for it in pools), *fixed, *own]
    message = (
        f"memory '{memory.name}' has {memory.size:,} bytes and must hold {', '.join(held)}: "
        "move a pool by --pool NAME=MEMORY"
    )
    end = f"ORIGIN({memory.name}) + LENGTH({memory.name})"
    sections = [*(it.section for it in pools), *own]
    inside = " && ".join(f"ADDR({it}) + SIZEOF({it}) <= {end}" for it in sections)
    return f'ASSERT({inside}, "{message}")'
