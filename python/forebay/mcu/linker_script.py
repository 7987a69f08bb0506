"""The linker script of an image: the board's memories, the pools where they were placed."""

from __future__ import annotations

from collections.abc import Sequence

from forebay.mcu.board import Board, Memory
from forebay.mcu.placement import Placed

ALIGN = 16


def write_linker_script(board: Board, placed: Sequence[Placed], stack: int) -> str:
    """Return the script for an image whose stack has `stack` bytes."""
    sections = [_vectors(board), *(_pool(it) for it in placed if it.pool.is_rom)]
    sections += [_text(board), _stack(board, stack), _data(board), _bss(board)]
    sections += [_pool(it) for it in placed if not it.pool.is_rom]
    return (
        "\n\n".join(
            [
                f"/* {board.title}. Written by forebay. */\nENTRY(reset_handler)",
                _memory(board),
                _segments(placed),
                "SECTIONS\n{\n" + "\n\n".join(sections) + f"\n\n{_DISCARDED}\n}}",
                *_limits(placed),
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
    """Its own output section, which nothing else matches: pools come before `.rodata.*`."""
    pool = placed.pool
    load, memory = "" if pool.is_rom else " (NOLOAD)", placed.memory.name
    return (
        f"    {placed.section}{load} : ALIGN({pool.alignment})\n"
        f"    {{ KEEP(*({placed.section})) }} > {memory} AT > {memory} :{_segment(placed)}"
    )


def _limits(placed: Sequence[Placed]) -> list[str]:
    return [_limit(it, [other for other in placed if other.memory == it.memory]) for it in placed]


def _limit(placed: Placed, together: Sequence[Placed]) -> str:
    """Fails the link where the pool's last byte lies behind its memory."""
    memory = placed.memory
    others = [f"{other.pool.name} {other.size:,}" for other in together if other != placed]
    beside = f"; beside it lie {', '.join(others)}" if others else ""
    message = (
        f"pool '{placed.pool.name}' needs {placed.size:,} bytes, memory '{memory.name}' has "
        f"{memory.size:,} bytes in all{beside}: choose another with "
        f"--pool {placed.pool.name}=MEMORY"
    )
    inside = f"ADDR({placed.section}) + SIZEOF({placed.section}) <= {_end(memory)}"
    return f'ASSERT({inside}, "{message}")'


def _end(memory: Memory) -> str:
    return f"ORIGIN({memory.name}) + LENGTH({memory.name})"
