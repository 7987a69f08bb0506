"""The files of constants: `<image>_weights.h/.c`, and each network's view of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from forebay.codegen.c.syntax.text import comment_text, round_up
from forebay.formats.memory_map import MapPool
from forebay.network.names import pool_identifiers
from forebay.shared_image.constants import WHOLE, c_element_type, constants_in
from forebay.shared_image.memories import NetworkPool
from forebay.shared_image.placement import PlacedMemory
from forebay.shared_image.project import CompiledProject, is_rom
from forebay.shared_image.structures import (
    StructureMember,
    needs_math,
    size_check,
    structure_text,
    values_text,
)


def shared_weights_files(
    image: str, memories: Sequence[PlacedMemory], projects: Sequence[CompiledProject]
) -> dict[str, str]:
    """Return the text of the files by name; without constants there are none."""
    files: dict[str, str] = {}
    in_image = [memory for memory in memories if memory.constants is not None]
    if in_image:
        files[f"{image}_weights.h"] = _header(image, in_image, projects)
        files[f"{image}_weights.c"] = _source(image, in_image)
    by_name = {memory.memory.name: memory for memory in memories}
    for project in projects:
        pools = [pool for pool in project.map.pools if pool.kind == "constant"]
        if pools:
            files[f"{project.prefix}_weights.h"] = _view(image, project, pools, by_name)
        loaded = [pool for pool in pools if pool.fill == "at_init"]
        if loaded:
            files[f"{project.prefix}_weights.c"] = _own_source(project, loaded)
    return files


def memory_identifiers(memories: Sequence[PlacedMemory]) -> dict[str, str]:
    """Return the C names of the memories."""
    return pool_identifiers(memory.memory.name for memory in memories)


def constants_symbol(image: str, memory: PlacedMemory) -> str:
    """Return the C name of a memory of constants in the image."""
    return f"{image}_{memory_identifiers([memory])[memory.memory.name]}_constants"


def _members(memory: PlacedMemory) -> list[StructureMember]:
    if memory.constants is None:
        return []
    return [
        StructureMember(it.name, it.offset, it.shape, it.dtype, it.data)
        for it in memory.constants.constants
        if not it.inside
    ]


def _header(
    image: str, memories: Sequence[PlacedMemory], projects: Sequence[CompiledProject]
) -> str:
    guard = f"{image.upper()}_WEIGHTS_H"
    parts = [
        f"/* Constants of the networks of {image}; equal constants are here once. */\n"
        f"#ifndef {guard}\n#define {guard}\n\n#include <stdint.h>"
    ]
    for memory in memories:
        symbol, shares = constants_symbol(image, memory), memory.memory.shares
        parts.append(structure_text(f"{symbol}_all", _members(memory), memory.size))
        parts += [_view_text(share, memory) for share in shares]
        lines = "\n".join(f"    {_view_type(it)} {_symbol(it)};" for it in shares)
        parts.append(
            "/* Each network has its own view of the same bytes. */\n"
            f"typedef union {symbol}_views {{\n    {symbol}_all all;\n{lines}\n}} {symbol}_views;"
        )
        parts.append(f"extern const {symbol}_views {symbol};")
    return "\n\n".join([*parts, f"#endif /* {guard} */"]) + "\n"


def _symbol(share: NetworkPool) -> str:
    return share.project.symbol(share.pool.name)


def _view_type(share: NetworkPool) -> str:
    return f"{_symbol(share)}_{'view' if share.project.network_code else 'layout'}"


def _view_text(share: NetworkPool, memory: PlacedMemory) -> str:
    """Return the structure by which a network sees its constants in a memory.

    An object accesses its own structure, which is at one place.
    """
    seen = _seen_by(share.project, memory)
    if not share.project.network_code:
        return structure_text(_view_type(share), seen)
    members = _own_members(share.project, share.pool)
    layout = structure_text(f"{_symbol(share)}_layout", members, _own_size(members, share.pool))
    start = seen[0].offset if seen else 0
    gap = f"    uint8_t gap_at_0[{start}];\n" if start else ""
    view = _view_type(share)
    whole = f"    {_symbol(share)}_layout {WHOLE};"
    return f"{layout}\n\ntypedef struct {view} {{\n{gap}{whole}\n}} {view};"


def _source(image: str, memories: Sequence[PlacedMemory]) -> str:
    members = [member for memory in memories for member in _members(memory)]
    parts = [_includes(f"{image}_weights.h", f"{image}.h", members)]
    for memory in memories:
        symbol = constants_symbol(image, memory)
        parts.append(size_check(f"{symbol}_all", memory.size))
        parts.append(size_check(f"{symbol}_views", memory.size))
        parts.append(
            f"{placement_lines(image, memory)}\n"
            f"const {symbol}_views {symbol} = {{{values_text(_members(memory), memory.size)}}};"
        )
    return "\n\n".join(parts) + "\n"


def placement_lines(image: str, memory: PlacedMemory) -> str:
    """Return the lines before the definition of a memory, by which an application places it."""
    macro = f"{image}_{memory_identifiers([memory])[memory.memory.name]}".upper()
    return (
        f"/* The location of {comment_text(memory.memory.name)}; define either macro to change it."
        " */\n"
        f"#ifndef {macro}_SECTION\n"
        f'#define {macro}_SECTION "{memory_section(image, memory)}"\n'
        "#endif\n"
        f"#ifndef {macro}_ATTRIBUTES\n"
        f"#define {macro}_ATTRIBUTES \\\n"
        f"    FOREBAY_ALIGNED({memory.alignment}) FOREBAY_SECTION({macro}_SECTION)\n"
        "#endif\n"
        f"{macro}_ATTRIBUTES"
    )


def memory_section(image: str, memory: PlacedMemory) -> str:
    """Return the linker section of a memory: that of the target, else one of its kind and name."""
    if memory.memory.section is not None:
        return memory.memory.section
    kind = ".rodata" if memory.memory.is_rom else ".bss"
    return f"{kind}.{image}_{memory_identifiers([memory])[memory.memory.name]}"


def _view(
    image: str,
    project: CompiledProject,
    pools: Sequence[MapPool],
    memories: Mapping[str, PlacedMemory],
) -> str:
    """Return the header that only the network's own files include."""
    guard = f"{project.prefix.upper()}_WEIGHTS_H"
    include = f'\n#include "{image}_weights.h"' if any(map(is_rom, pools)) else ""
    parts = [
        f"/* Constants of {comment_text(project.map.model.name)} in {image}; only the network's "
        f"own files include this file. */\n#ifndef {guard}\n#define {guard}\n\n"
        f"#include <stdint.h>\n{include}".rstrip()
    ]
    for pool in pools:
        symbol = project.symbol(pool.name)
        if is_rom(pool):
            shared = constants_symbol(image, memories[pool.name])
            member = f".{WHOLE}" if project.network_code else ""
            parts.append(f"#define {symbol} ({shared}.{symbol}{member})")
        else:
            members = _own_members(project, pool)
            parts.append(structure_text(f"{symbol}_layout", members, _own_size(members, pool)))
            if pool.fill == "at_init":
                parts.append(f"extern const {symbol}_layout {symbol};")
    return "\n\n".join([*parts, f"#endif /* {guard} */"]) + "\n"


def _seen_by(project: CompiledProject, memory: PlacedMemory) -> list[StructureMember]:
    """Return the network's members at the offsets of the shared structure."""
    constants = memory.constants.constants if memory.constants is not None else ()
    return [
        StructureMember(it.users[project.prefix], it.offset, it.shape, it.dtype, it.data)
        for it in constants
        if project.prefix in it.users and not (it.inside and project.network_code)
    ]


def _own_source(project: CompiledProject, pools: Sequence[MapPool]) -> str:
    """Return the definitions of the constants that the network copies from the image."""
    own = {pool.name: _own_members(project, pool) for pool in pools}
    prefix = project.prefix
    members = [member for it in own.values() for member in it]
    parts = [_includes(f"{prefix}_weights.h", f"{prefix}.h", members)]
    for pool in pools:
        symbol, size = project.symbol(pool.name), _own_size(own[pool.name], pool)
        parts.append(size_check(f"{symbol}_layout", size))
        parts.append(f"const {symbol}_layout {symbol} = {values_text(own[pool.name], size)};")
    return "\n\n".join(parts) + "\n"


def _own_members(project: CompiledProject, pool: MapPool) -> list[StructureMember]:
    return [
        StructureMember(
            str(buffer.member), buffer.offset, buffer.shape, c_element_type(buffer.type), data
        )
        for buffer, data in constants_in(NetworkPool(project, pool))
    ]


def _own_size(members: Sequence[StructureMember], pool: MapPool) -> int:
    """Return the bytes of the structure, which C rounds up to the largest element."""
    largest = max((np.dtype(member.dtype).itemsize for member in members), default=1)
    return round_up(max(pool.peak, 1), largest)


def _includes(source: str, header: str, members: Sequence[StructureMember]) -> str:
    math = "\n\n#include <math.h>" if needs_math(members) else ""
    return f'#include "{source}"\n\n#include "{header}"{math}'
