"""The constants of several networks in one structure, in which equal constants are once.

Every network keeps its own view of the structure, with its members at the shared offsets, so that
its code does not change. A constant that one network has twice is in the structure twice: two
members of a view cannot have the same offset.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct

from forebay.codegen.c.syntax.text import round_up
from forebay.formats.memory_map import MapBuffer
from forebay.planning import Buffer, Effort, Kind, Pool, Problem, plan
from forebay.pools import PoolKind
from forebay.shared_image.memories import NetworkPool


class SharedConstant(Struct, frozen=True):
    """A constant of the structure: its place, its element type, its bytes.

    `users` are the networks' prefixes, each with the name of its member.
    """

    name: str
    offset: int
    size: int
    shape: tuple[int, ...]
    dtype: str
    data: bytes
    users: dict[str, str]


class SharedConstants(Struct, frozen=True):
    """The structure: its constants by offset, its bytes and its alignment."""

    constants: tuple[SharedConstant, ...]
    size: int
    alignment: int

    @property
    def saved(self) -> int:
        """Return the bytes that the networks would need more if no constant were shared."""
        return sum(it.size * (len(it.users) - 1) for it in self.constants)


class _Slot(Struct):
    """The constants that have the same bytes, of different networks."""

    buffer: MapBuffer
    dtype: str
    data: bytes
    alignment: int
    users: dict[str, str]


def shared_constants(shares: Sequence[NetworkPool], alignment: int) -> SharedConstants:
    """Return the structure with the constants of all pools."""
    slots: dict[tuple[str, bytes, int], _Slot] = {}
    for share in shares:
        seen: dict[tuple[str, bytes], int] = {}
        for buffer, data in constants_in(share):
            dtype = c_element_type(buffer.type)
            count = seen[dtype, data] = seen.get((dtype, data), 0) + 1
            aligned = _alignment_of(buffer, share)
            slot = slots.setdefault((dtype, data, count), _Slot(buffer, dtype, data, aligned, {}))
            slot.alignment = max(slot.alignment, aligned)
            slot.users[share.project.prefix] = str(buffer.member)
    return _placed(list(slots.values()), alignment)


def constants_in(share: NetworkPool) -> Iterator[tuple[MapBuffer, bytes]]:
    """Return the constants of a pool with their bytes, by offset."""
    image = share.project.image(share.pool)
    seen = {
        buffer.offset: buffer
        for buffer in share.project.map.buffers
        if buffer.pool == share.pool.name and isinstance(buffer.member, str)
    }
    for offset in sorted(seen):
        yield seen[offset], image[offset : offset + seen[offset].size]


def c_element_type(name: str) -> str:
    """Return the type of the elements in C's form, by NumPy's name: integers have a sign there."""
    dtype = np.dtype(name)
    return dtype.name if dtype.kind == "f" else f"int{8 * dtype.itemsize}"


def _alignment_of(buffer: MapBuffer, share: NetworkPool) -> int:
    """Return the alignment that the constant's address has in the network's own pool."""
    return math.gcd(buffer.offset, share.pool.alignment) if buffer.offset else share.pool.alignment


def _placed(slots: Sequence[_Slot], alignment: int) -> SharedConstants:
    element = max((np.dtype(slot.dtype).itemsize for slot in slots), default=1)
    alignment = max(alignment, element)
    buffers = tuple(
        Buffer(
            name=str(number),
            size=len(slot.data),
            candidates=("constants",),
            alignment=slot.alignment,
            kind=Kind.CONSTANT,
        )
        for number, slot in enumerate(slots)
    )
    pool = Pool("constants", PoolKind.constant, alignment=alignment)
    found = plan(Problem((pool,), buffers), "auto", Effort.NORMAL)
    placed = [
        _constant(slot, found.placements[str(number)].offset) for number, slot in enumerate(slots)
    ]
    end = max((it.offset + it.size for it in placed), default=1)
    size = round_up(end, element)  # as C does
    return SharedConstants(tuple(sorted(placed, key=lambda it: it.offset)), size, alignment)


def _constant(slot: _Slot, offset: int) -> SharedConstant:
    prefix, member = next(iter(slot.users.items()))
    return SharedConstant(
        name=f"{prefix}_{member}",
        offset=offset,
        size=len(slot.data),
        shape=slot.buffer.shape,
        dtype=slot.dtype,
        data=slot.data,
        users=slot.users,
    )
