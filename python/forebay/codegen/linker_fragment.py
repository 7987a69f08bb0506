"""`<m>.ld`: an output section per pool, for an application's linker script."""

from __future__ import annotations

from collections.abc import Sequence

from .model import ModelInfo, PoolInfo
from .names import Naming
from .placement import section_of


def write_linker_fragment(model: ModelInfo, naming: Naming) -> str:
    """Return the text of the file; pools that share a linker section share an output section."""
    groups: dict[str, list[PoolInfo]] = {}
    for pool in model.pools:
        if pool.is_rom or pool in model.provided_pools:
            groups.setdefault(section_of(pool, naming), []).append(pool)
    sections = [_section(name, pools, naming) for name, pools in groups.items()]
    return "\n\n".join([_intro(list(groups.values()), naming), *sections]) + "\n"


def _intro(groups: Sequence[Sequence[PoolInfo]], naming: Naming) -> str:
    m = naming.prefix
    aliases = "\n".join(
        f'       REGION_ALIAS("{_region(pools, naming)}", {_example(pools[0])})' for pools in groups
    )
    return (
        f"/* Memory of {m} for GNU ld and LLD. Behind MEMORY say where each pool lies:\n"
        f"{aliases}\n"
        "   and inside SECTIONS, before what collects .bss.* and .rodata.*:\n"
        f"       INCLUDE {m}.ld\n"
        "   Without it pools lie where .bss and .rodata do. */"
    )


def _example(pool: PoolInfo) -> str:
    return "FLASH" if pool.is_rom else "RAM"


def _region(pools: Sequence[PoolInfo], naming: Naming) -> str:
    return naming.pool_macro(pools[0].name)


def _section(section: str, pools: Sequence[PoolInfo], naming: Naming) -> str:
    """An output section, and what must be true of it where its pools are linked at all."""
    name = f".{naming.prefix}_{naming.pools[pools[0].name]}"
    no_load = "" if pools[0].is_rom else " (NOLOAD)"
    alignment = max(pool.alignment for pool in pools)
    size = sum(pool.size + pool.remainder for pool in pools)
    what = " and ".join(f"'{pool.name}'" for pool in pools)
    lines = [
        f"{name}{no_load} : ALIGN({alignment})",
        f"{{\n    *({section})\n}} > {_region(pools, naming)}",
        f"ASSERT(SIZEOF({name}) == 0 || SIZEOF({name}) >= {size},\n"
        f'    "{naming.prefix}: {what} must have {size} bytes")',
    ]
    for pool in pools[:1]:
        if pool.base is not None:
            address = pool.base - pool.remainder
            lines.append(
                f"ASSERT(SIZEOF({name}) == 0 || ADDR({name}) == {address:#x},\n"
                f'    "{naming.prefix}: {what} is planned for address {pool.base:#x}")'
            )
    return "\n".join(lines)
