"""Structures of constants in C: members at their offsets, with gaps as members."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from msgspec import Struct

from forebay.codegen.c.syntax.text import array_bounds, initialiser

_CTYPES = {"float32": "float", "float64": "double"}


class StructureMember(Struct, frozen=True):
    """A constant in a structure: its name, place, element type and bytes."""

    name: str
    offset: int
    shape: tuple[int, ...]
    dtype: str
    data: bytes


def structure_text(ctype: str, members: Iterable[StructureMember], size: int = 0) -> str:
    """Return the definition of a structure with the members at their offsets.

    It has at least `size` bytes. Without members it has one byte.
    """
    lines: list[str] = []
    end = 0
    for member in members:
        if member.offset > end:
            lines.append(_gap(end, member.offset))
        count = len(member.data) // np.dtype(member.dtype).itemsize
        element = _CTYPES.get(member.dtype, f"{member.dtype}_t")
        what = f"/* offset {member.offset} {array_bounds(member.shape)} */"
        lines.append(f"    {element} {member.name}[{count}]; {what}")
        end = member.offset + len(member.data)
    if size > end:
        lines.append(_gap(end, size))
    body = "\n".join(lines or ["    uint8_t none;"])
    return f"typedef struct {ctype} {{\n{body}\n}} {ctype};"


def values_text(members: Iterable[StructureMember], size: int = 0) -> str:
    """Return the initialiser of a structure of `structure_text`."""
    parts: list[str] = []
    end = 0
    for member in members:
        if member.offset > end:
            parts.append("    {0}")
        data = np.frombuffer(member.data, np.dtype(member.dtype).newbyteorder("<"))
        values = initialiser(data.astype(member.dtype), " " * 8)
        parts.append(f"    /* {member.name} */\n    {{\n{values}\n    }}")
        end = member.offset + len(member.data)
    if size > end:
        parts.append("    {0}")
    return "{\n" + ",\n".join(parts or ["    0"]) + "\n}"


def size_check(ctype: str, size: int) -> str:
    """Return the check that the compiler adds no padding."""
    return f"FOREBAY_STATIC_ASSERT(sizeof({ctype}) == {size}, {ctype}_has_its_size);"


def needs_math(members: Iterable[StructureMember]) -> bool:
    """Return whether the values may be written as infinity or as no number."""
    return any(member.dtype in _CTYPES for member in members)


def _gap(start: int, end: int) -> str:
    return f"    uint8_t gap_at_{start}[{end - start}];"
