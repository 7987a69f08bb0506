"""`<m>_weights.h/.c`: each constant pool as one const structure of typed arrays.

Typed members, unlike bytes, read well and mean the same on a big-endian machine. Their offsets are
those of the plan: gaps are members too, and the size is checked by the compiler.
"""

from __future__ import annotations

from dataclasses import dataclass

from .c_text import comment_text, dimensions, initialiser, round_up
from .constants import Constant
from .errors import CodegenError
from .model import ModelInfo, PoolInfo
from .names import Naming, Scope, identifier

CTYPES = {
    "i1": "int8_t",
    "i2": "int16_t",
    "i4": "int32_t",
    "i8": "int64_t",
    "f4": "float",
    "f8": "double",
}


@dataclass(frozen=True)
class Member:
    """A member of a pool's structure: a constant, or a gap where `constant` is None."""

    name: str
    ctype: str
    count: int
    offset: int
    constant: Constant | None = None


def write_weights_header(model: ModelInfo, naming: Naming, constants: tuple[Constant, ...]) -> str:
    """Return the text of the header."""
    m, macro = naming.prefix, naming.macro
    parts = [
        f"/* Constants of {comment_text(model.name)}; {m}.c alone includes this. */\n"
        f"#ifndef {macro}_WEIGHTS_H\n#define {macro}_WEIGHTS_H\n\n#include <stdint.h>",
        *(_structure(pool, naming, _members(pool, constants)) for pool in model.constant_pools),
        f"#endif /* {macro}_WEIGHTS_H */",
    ]
    return "\n\n".join(parts) + "\n"


def write_weights_source(model: ModelInfo, naming: Naming, constants: tuple[Constant, ...]) -> str:
    """Return the text of the source file."""
    parts = [f'#include "{naming.prefix}_weights.h"\n\n#include "{naming.prefix}.h"']
    if any(c.data.dtype.kind == "f" for c in constants):
        parts[0] += "\n\n#include <math.h>"
    parts += [
        text
        for pool in model.constant_pools
        for text in _definition(pool, naming, _members(pool, constants))
    ]
    return "\n\n".join(parts) + "\n"


def check_constants(model: ModelInfo, constants: tuple[Constant, ...]) -> None:
    """Raise CodegenError where constants overlap or lie outside of their pool."""
    for pool in model.constant_pools:
        _members(pool, constants)


def _structure(pool: PoolInfo, naming: Naming, members: list[Member]) -> str:
    name = f"{naming.prefix}_{naming.pools[pool.name]}"
    lines = [
        f"    {m.ctype} {m.name}[{m.count}]; /* offset {m.offset}{_described(m)} */"
        for m in members
    ]
    return "\n".join(
        [
            f"typedef struct {name}_layout {{",
            *(lines or ["    uint8_t none;"]),
            f"}} {name}_layout;",
            "",
            f"extern const {name}_layout {name};",
        ]
    )


def _definition(pool: PoolInfo, naming: Naming, members: list[Member]) -> list[str]:
    name = f"{naming.prefix}_{naming.pools[pool.name]}"
    macro = naming.pool_macro(pool.name)
    attributes = f"{macro}_ATTRIBUTES"
    section = f'__attribute__((aligned({macro}_ALIGN), section("{pool.section}")))'
    default = section if pool.section else f"__attribute__((aligned({macro}_ALIGN)))"
    size = max((m.offset + _size(m) for m in members), default=1)
    lines = [f"    /* offset {m.offset}{_described(m)} */\n{_values(m)}" for m in members]
    return [
        f"/* Alignment and section; define it to choose your own. */\n"
        f"#ifndef {attributes}\n#define {attributes} {default}\n#endif",
        f"/* The compiler must add no gaps of its own. */\n"
        f"typedef char {name}_has_its_size[sizeof({name}_layout) == {size} ? 1 : -1];",
        f"{attributes} const {name}_layout {name} = {{\n" + "\n".join(lines or ["    0"]) + "\n};",
    ]


def _described(member: Member) -> str:
    if member.constant is None:
        return ": gap"
    shape = dimensions(member.constant.data.shape)
    return f": {comment_text(member.constant.name)} {shape}".rstrip()


def _values(member: Member) -> str:
    if member.constant is None:
        return "    {0},"
    return f"    {{\n{initialiser(member.constant.data, ' ' * 8)}\n    }},"


def _members(pool: PoolInfo, constants: tuple[Constant, ...]) -> list[Member]:
    scope = Scope()
    members: list[Member] = []
    end, alignment = 0, 1
    for constant in (c for c in constants if c.pool == pool.name and c.data.size):
        key = f"{constant.data.dtype.kind}{constant.data.dtype.itemsize}"
        if key not in CTYPES or constant.offset % constant.data.dtype.itemsize:
            raise CodegenError(
                f"constant '{constant.name}' at offset {constant.offset} of pool '{pool.name}' has "
                f"no C form as {constant.data.dtype}: type and alignment must be natural"
            )
        if constant.offset < end:
            raise CodegenError(
                f"constant '{constant.name}' at [{constant.offset}, {constant.end}) of pool "
                f"'{pool.name}' overlaps what ends at {end}; the plan is wrong"
            )
        if constant.offset > end:
            members.append(_gap(end, constant.offset, scope))
        name = scope.unique(identifier(constant.name.lower(), "constant"))
        members.append(Member(name, CTYPES[key], constant.data.size, constant.offset, constant))
        end, alignment = constant.end, max(alignment, constant.data.dtype.itemsize)
    if end > pool.size:
        raise CodegenError(f"pool '{pool.name}' has {pool.size} bytes, its constants end at {end}")
    total = round_up(max(pool.size, end), alignment)
    return members if total == end else [*members, _gap(end, total, scope)]


def _gap(start: int, end: int, scope: Scope) -> Member:
    return Member(scope.unique(f"gap_{start}"), "uint8_t", end - start, start)


def _size(member: Member) -> int:
    return member.count if member.constant is None else member.constant.data.nbytes
