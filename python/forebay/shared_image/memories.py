"""The memories of an image: the pools of all networks, grouped by their name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import UNSET, Struct, UnsetType

from forebay.formats.memory_map import MapPool
from forebay.shared_image.errors import SharingError
from forebay.shared_image.project import CompiledProject, is_rom


class NetworkPool(Struct, frozen=True):
    """The pool of one network in a memory."""

    project: CompiledProject
    pool: MapPool


class SharedMemory(Struct, frozen=True):
    """The pools of one name, which are one memory; `capacity` is None if it is unlimited."""

    name: str
    kind: str
    fill: str | None
    section: str | None
    base: int | None
    capacity: int | None
    alignment: int
    shares: tuple[NetworkPool, ...]

    @property
    def is_rom(self) -> bool:
        """Return whether it holds constants in the image."""
        return is_rom(self.shares[0].pool)


def memories_of(
    projects: Sequence[CompiledProject], capacities: Mapping[str, int]
) -> tuple[SharedMemory, ...]:
    """Return the memories in the order in which the networks declare them.

    `capacities` replace those of the targets. Raises `SharingError` for pools of one name that are
    not the same memory, and for the capacity of an unknown pool.
    """
    shares: dict[str, list[NetworkPool]] = {}
    for project in projects:
        for pool in project.map.pools:
            shares.setdefault(pool.name, []).append(NetworkPool(project, pool))
    for name in capacities:
        if name not in shares:
            raise SharingError(f"there is no pool '{name}'; pools: {', '.join(shares)}")
    return tuple(_memory(name, share, capacities.get(name)) for name, share in shares.items())


def _memory(name: str, shares: Sequence[NetworkPool], capacity: int | None) -> SharedMemory:
    first = shares[0]
    for other in shares[1:]:
        for what, way_out in _MUST_AGREE.items():
            one, two = getattr(first.pool, what), getattr(other.pool, what)
            if one != two:
                raise SharingError(
                    f"pool '{name}': its {what} is {_shown(one)} in '{first.project.prefix}' and "
                    f"{_shown(two)} in '{other.project.prefix}', so it is not the same memory; "
                    f"{way_out}"
                )
    limits = [share.pool.capacity for share in shares if share.pool.capacity is not None]
    return SharedMemory(
        name=name,
        kind=first.pool.kind,
        fill=first.pool.fill,
        section=first.pool.section,
        base=first.pool.base if isinstance(first.pool.base, int) else None,
        capacity=capacity if capacity is not None else min(limits, default=None),
        alignment=max(share.pool.alignment for share in shares),
        shares=tuple(shares),
    )


_MUST_AGREE = {
    "kind": "give the pool of one of the targets another name",
    "fill": "compile both with --weights-blob, or none",
    "section": "compile both for the same target",
    "base": "compile both for the same target",
}


def _shown(value: object | UnsetType) -> str:
    if value is None or value is UNSET:
        return "not set"
    return f"{value:#x}" if isinstance(value, int) else f"'{value}'"
