"""Alignment and section of a pool, as macros that an application may define differently."""

from __future__ import annotations

from forebay.network.model import PlannedPool
from forebay.network.names import Naming


def section_of(pool: PlannedPool, naming: Naming) -> str:
    """Return the linker section of a pool: the target's, else one that its kind and name give."""
    if pool.section is not None:
        return pool.section
    kind = ".rodata" if pool.is_rom else ".bss"
    return f"{kind}.{naming.prefix}_{naming.pools[pool.name]}"


def placement_macros(pool: PlannedPool, naming: Naming) -> str:
    """Return the lines before a pool's definition; the last line is the start of the definition."""
    macro = naming.pool_macro(pool.name)
    return (
        f"/* The location of {naming.pools[pool.name]}; define either macro to change it. */\n"
        f"#ifndef {macro}_SECTION\n"
        f'#define {macro}_SECTION "{section_of(pool, naming)}"\n'
        "#endif\n"
        f"#ifndef {macro}_ATTRIBUTES\n"
        f"#define {macro}_ATTRIBUTES \\\n"
        f"    FOREBAY_ALIGNED({macro}_ALIGN) FOREBAY_SECTION({macro}_SECTION)\n"
        "#endif\n"
        f"{macro}_ATTRIBUTES"
    )
