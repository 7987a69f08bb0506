"""The constants of several networks in one structure, in which equal constants are once.

Every network keeps its own view of the structure, with its members at the shared offsets, so that
its code does not change. A constant that one network has twice is in the structure twice: two
members of a view cannot have the same offset. A network whose code is an object has the offsets of
its constants in the code, so its whole pool is one constant of the structure.
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

WHOLE = "image"
"""The name of the member that is the whole pool of a network whose code is an object."""


class SharedConstant(Struct, frozen=True):
    """A constant of the structure: its place, its element type, its bytes.

    `users` are the networks' prefixes, each with the name of its member. One that is `inside` is
    part of another constant, the whole pool of a network.
    """

    name: str
    offset: int
    size: int
    shape: tuple[int, ...]
    dtype: str
    data: bytes
    users: dict[str, str]
    inside: bool = False


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
    """The constants that have the same bytes, of different networks.

    `inside` is the pool of a network whose code is an object, and the offset in it.
    """

    shape: tuple[int, ...]
    dtype: str
    data: bytes
    alignment: int
    users: dict[str, str]
    inside: tuple[_Slot, int] | None = None


_Key = tuple[str, bytes, int]
"""Element type, bytes, and how often the network has had them before."""


def shared_constants(shares: Sequence[NetworkPool], alignment: int) -> SharedConstants:
    """Return the structure with the constants of all pools."""
    images: dict[bytes, _Slot] = {}
    slots: dict[_Key, _Slot] = {}
    for share in shares:
        if share.project.network_code is not None and share.pool.peak:
            data = whole_image(share)
            new = _Slot((len(data),), "int8", data, share.pool.alignment, {})
            image = images.setdefault(data, new)
            image.alignment = max(image.alignment, share.pool.alignment)
            image.users[share.project.prefix] = WHOLE
            for key, buffer, one in _slots_of(share):
                one.inside = (image, buffer.offset)
                slots.setdefault(key, one)
    own: dict[_Key, _Slot] = {}
    for share in shares:
        if share.project.network_code is None:
            for key, buffer, one in _slots_of(share):
                found = slots.get(key)
                if found is None or found.alignment < one.alignment:
                    found = own.setdefault(key, one)
                    found.alignment = max(found.alignment, one.alignment)
                found.users[share.project.prefix] = str(buffer.member)
    return _placed([*images.values(), *own.values()], list(slots.values()), alignment)


def _slots_of(share: NetworkPool) -> Iterator[tuple[_Key, MapBuffer, _Slot]]:
    """Return the constants of a pool, each with its key and with its network as the user."""
    seen: dict[tuple[str, bytes], int] = {}
    for buffer, data in constants_in(share):
        dtype = c_element_type(buffer.type)
        count = seen[dtype, data] = seen.get((dtype, data), 0) + 1
        users = {share.project.prefix: str(buffer.member)}
        slot = _Slot(buffer.shape, dtype, data, _alignment_of(buffer, share), users)
        yield (dtype, data, count), buffer, slot


def whole_image(share: NetworkPool) -> bytes:
    """Return the bytes of a pool, as many as its structure has in C."""
    sizes = [np.dtype(buffer.type).itemsize for buffer, _ in constants_in(share)]
    image = share.project.image(share.pool)
    return image.ljust(round_up(len(image), max(sizes, default=1)), b"\0")


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


def _placed(slots: Sequence[_Slot], inside: Sequence[_Slot], alignment: int) -> SharedConstants:
    """Return the structure of planned slots, and the constants inside of them."""
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
    offsets = {id(slot): found.placements[str(at)].offset for at, slot in enumerate(slots)}
    placed = [_constant(slot, offsets[id(slot)]) for slot in slots]
    for slot in inside:
        if slot.inside is not None:
            image, offset = slot.inside
            placed.append(_constant(slot, offsets[id(image)] + offset))
    end = max((it.offset + it.size for it in placed), default=1)
    size = round_up(end, element)  # as C does
    return SharedConstants(tuple(sorted(placed, key=lambda it: it.offset)), size, alignment)


def _constant(slot: _Slot, offset: int) -> SharedConstant:
    prefix, member = next(iter(slot.users.items()))
    return SharedConstant(
        name=f"{prefix}_{member}",
        offset=offset,
        size=len(slot.data),
        shape=slot.shape,
        dtype=slot.dtype,
        data=slot.data,
        users=slot.users,
        inside=slot.inside is not None,
    )
