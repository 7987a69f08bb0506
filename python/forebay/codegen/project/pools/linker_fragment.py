"""`<m>.ld`: an output section per pool, for an application's linker script."""

from __future__ import annotations

from collections.abc import Sequence

from forebay.codegen.project.pools.placement import section_of
from forebay.network.model import ModelInfo, PlannedPool
from forebay.network.names import Naming


def write_linker_fragment(model: ModelInfo, naming: Naming) -> str:
    """Return the text of the file; pools that share a linker section share an output section.

    The output section of a pool at a fixed base has no contents: it reserves the bytes. The link
    fails if another section lies there or if the region does not contain these bytes.
    """
    groups: dict[str, list[PlannedPool]] = {}
    for pool in model.pools:
        if not pool.is_mapped:
            groups.setdefault(section_of(pool, naming), []).append(pool)
    mapped = sorted(model.mapped_pools, key=lambda pool: pool.base or 0)
    sections = [_reserved(pool, naming) for pool in mapped]
    sections += [_section(name, pools, naming) for name, pools in groups.items()]
    regions = [[pool] for pool in mapped] + list(groups.values())
    return "\n\n".join([_intro(regions, naming), *sections]) + "\n"


def _reserved(pool: PlannedPool, naming: Naming) -> str:
    """Return an output section without contents; the link fails if its bytes are already used."""
    name = naming.pools[pool.name]
    section, region = f".{naming.prefix}_{name}", _region([pool], naming)
    begin, size = (pool.base or 0) + pool.start, pool.size - pool.start
    return (
        f"/* Bytes that the code of {naming.prefix} uses at constant addresses. */\n"
        f"{section}_free (NOLOAD) : {{ }} > {region}\n"
        f"{section} {begin:#010x} (NOLOAD) :\n{{\n    . += {size};\n}} > {region}\n"
        f"ASSERT(ADDR({section}_free) <= {begin:#010x},\n"
        f"    \"{naming.prefix}: other bytes are linked at {begin:#010x}, the address of '{name}'; "
        'INCLUDE before what is linked into the region, lower addresses first")'
    )


def _intro(groups: Sequence[Sequence[PlannedPool]], naming: Naming) -> str:
    m = naming.prefix
    aliases = "\n".join(
        f'       REGION_ALIAS("{_region(pools, naming)}", {_example(pools[0])})' for pools in groups
    )
    return (
        f"/* Memory of {m} for GNU ld and LLD. After MEMORY, give the region of each pool:\n"
        f"{aliases}\n"
        "   and inside SECTIONS, before the patterns .bss.* and .rodata.*:\n"
        f"       INCLUDE {m}.ld\n"
        "   Without it, the pools are in the regions of .bss and .rodata. */"
    )


def _example(pool: PlannedPool) -> str:
    if pool.is_mapped:
        return f"the region that has {pool.base or 0:#010x}"
    return "FLASH" if pool.is_rom else "RAM"


def _region(pools: Sequence[PlannedPool], naming: Naming) -> str:
    return naming.pool_macro(pools[0].name)


def _section(section: str, pools: Sequence[PlannedPool], naming: Naming) -> str:
    """Return an output section, and the check of its size if its pools are linked at all."""
    name = f".{naming.prefix}_{naming.pools[pools[0].name]}"
    no_load = "" if pools[0].is_rom else " (NOLOAD)"
    alignment = max(pool.alignment for pool in pools)
    size = sum(pool.size for pool in pools)
    what = " and ".join(f"'{pool.name}'" for pool in pools)
    return "\n".join(
        [
            f"{name}{no_load} : ALIGN({alignment})",
            f"{{\n    *({section})\n}} > {_region(pools, naming)}",
            f"ASSERT(SIZEOF({name}) == 0 || SIZEOF({name}) >= {size},\n"
            f'    "{naming.prefix}: {what} must have {size} bytes")',
        ]
    )
