"""The C form of a constant pool: a structure with a member per constant and per gap."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from forebay.codegen.c.syntax.text import round_up
from forebay.network.constants import Constant
from forebay.network.errors import CodegenError
from forebay.network.model import PlannedPool

_CTYPES = {
    "i1": "int8_t",
    "i2": "int16_t",
    "i4": "int32_t",
    "i8": "int64_t",
    "f4": "float",
    "f8": "double",
}


class Member(Struct, frozen=True):
    """A member of a pool's structure: a constant, or a gap if `constant` is None."""

    name: str
    ctype: str
    count: int
    offset: int
    constant: Constant | None = None

    @property
    def end(self) -> int:
        """Return the offset just past the member, in bytes."""
        return self.offset + self.count if self.constant is None else self.constant.end


class PoolLayout(Struct, frozen=True):
    """The C structure of a constant pool: its name, its type's name and its members."""

    symbol: str
    ctype: str
    members: tuple[Member, ...]

    @property
    def size(self) -> int:
        """Return the size of the structure in bytes."""
        return self.members[-1].end if self.members else 1

    def member_at(self, offset: int, ctype: str) -> Member | None:
        """Return the member for the constant of this type at this offset, or None."""
        for member in self.members:
            if member.constant is not None and member.offset == offset and member.ctype == ctype:
                return member
        return None


def pool_layout_of(pool: PlannedPool, symbol: str, names: Mapping[Constant, str]) -> PoolLayout:
    """Return the layout of a constant pool as a C structure.

    Raises CodegenError when constants overlap, extend past the pool's end or are misaligned.
    """
    members: list[Member] = []
    end, alignment = 0, 1
    in_pool = [constant for constant in names if constant.pool == pool.name and constant.data.size]
    for constant in sorted(in_pool, key=lambda c: c.offset):
        ctype = _ctype(constant)
        if constant.offset < end:
            raise CodegenError(
                f"constant '{constant.name}' at [{constant.offset}, {constant.end}) of pool "
                f"'{pool.name}' overlaps what ends at {end}; the plan is wrong"
            )
        if constant.offset > end:
            members.append(_gap(end, constant.offset))
        count = constant.data.size
        members.append(Member(names[constant], ctype, count, constant.offset, constant))
        end, alignment = constant.end, max(alignment, constant.data.dtype.itemsize)
    if end > pool.size:
        raise CodegenError(f"pool '{pool.name}' has {pool.size} bytes, its constants end at {end}")
    total = round_up(max(pool.size, end), alignment)
    if total > end:
        members.append(_gap(end, total))
    return PoolLayout(symbol, f"{symbol}_layout", tuple(members))


def _ctype(constant: Constant) -> str:
    key = f"{constant.data.dtype.kind}{constant.data.dtype.itemsize}"
    if key not in _CTYPES or constant.offset % constant.data.dtype.itemsize:
        raise CodegenError(
            f"constant '{constant.name}' at offset {constant.offset} of pool '{constant.pool}' has "
            f"no C form as {constant.data.dtype}: type and alignment must be natural"
        )
    return _CTYPES[key]


def _gap(start: int, end: int) -> Member:
    return Member(f"gap_at_{start}", "uint8_t", end - start, start)
