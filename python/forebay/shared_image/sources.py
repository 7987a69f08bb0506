"""`<image>.h` and `<image>_pools.c`: all networks, and the pools that they share."""

from __future__ import annotations

from collections.abc import Sequence

from forebay.codegen.c.syntax.text import comment_text
from forebay.shared_image.memories import NetworkPool
from forebay.shared_image.placement import PlacedMemory
from forebay.shared_image.project import CompiledProject, is_fixed, is_rom
from forebay.shared_image.weights import memory_identifiers, placement_lines


def write_image_header(
    image: str,
    memories: Sequence[PlacedMemory],
    projects: Sequence[CompiledProject],
    *,
    concurrent: bool,
) -> str:
    """Return the text of `<image>.h`."""
    guard, names = f"{image.upper()}_H", memory_identifiers(memories)
    uses = (
        "Each network has a workspace of its own: they may run at the same time."
        if concurrent
        else "The networks share workspaces: no two of them may run at the same time. A run leaves "
        "undefined\n   bytes in inputs and outputs that another network has in a workspace."
    )
    prefixes = [project.prefix for project in projects]
    pools = [f"{project.prefix}_default_pools" for project in projects if project.handed_pools]
    includes = "\n".join(f'#include "{prefix}.h"' for prefix in prefixes)
    macros = [
        f"#define {image.upper()}_{names[it.memory.name].upper()}_SIZE {it.size}"
        f"\n#define {image.upper()}_{names[it.memory.name].upper()}_ALIGN {it.alignment}"
        for it in memories
    ]
    return "\n\n".join(
        [
            f"/* {image}: {len(projects)} networks in one memory; {image}.json lists it.\n"
            f"   {uses}\n"
            f"   Pools: {', '.join(pools) or 'all in the image'}. */",
            f"#ifndef {guard}\n#define {guard}",
            includes,
            "/* The memories of all networks, in bytes. */\n" + "\n".join(macros),
            f"#endif /* {guard} */\n",
        ]
    )


def write_image_pools(
    image: str, memories: Sequence[PlacedMemory], projects: Sequence[CompiledProject]
) -> str:
    """Return the text of `<image>_pools.c`, which defines the default pools of all networks."""
    names = memory_identifiers(memories)
    arrays = {
        it.memory.name: f"{image}_{names[it.memory.name]}"
        for it in memories
        if not any(is_rom(share.pool) or is_fixed(share.pool) for share in it.memory.shares)
    }
    places = {it.memory.name: it for it in memories}
    parts = [f'/* The memory of {comment_text(image)}. */\n#include "{image}.h"']
    parts += [_check(image, project) for project in projects]
    for name, array in arrays.items():
        size = f"{image.upper()}_{names[name].upper()}_SIZE" if places[name].size else "1"
        parts.append(f"{placement_lines(image, places[name])}\nstatic uint8_t {array}[{size}];")
    for project in projects:
        parts += _pools(project, places, arrays)
    return "\n\n".join(parts) + "\n"


def _check(image: str, project: CompiledProject) -> str:
    return (
        f"#if {project.prefix.upper()}_PLAN_ID != {project.plan_id}\n"
        f'#error "{image}_pools.c and {project.prefix}.h are of different compilations"\n'
        "#endif"
    )


def _pools(
    project: CompiledProject, places: dict[str, PlacedMemory], arrays: dict[str, str]
) -> list[str]:
    """Return the definition of a network's structure of pools, and its pools to be filled."""
    handed = [NetworkPool(project, pool) for pool in project.handed_pools]
    if not handed:
        return []
    pointers = {
        share.pool.name: f"{arrays[share.pool.name]} + "
        f"{places[share.pool.name].offsets[project.prefix]}"
        for share in handed
    }
    filled = [
        f"uint8_t *const {project.prefix}_default_{project.identifiers[share.pool.name]} = "
        f"{pointers[share.pool.name]};"
        for share in handed
        if share.pool.fill == "by_host"
    ]
    members = ",\n".join(f"    {pointers[it.pool.name]}, {it.pool.peak}" for it in handed)
    return [
        *filled,
        f"const {project.prefix}_pools {project.prefix}_default_pools = {{\n{members}\n}};",
    ]
