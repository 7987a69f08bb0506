"""Places the pools of all networks in a memory, by the planners.

The networks run one after the other, so workspaces are live in turn; with `concurrent` they are
live at the same time. Constants and states are always live:

    bytes ^  +-----------+
          |  | a's       | +-------------+
          |  | workspace | | b's         |
          |  +-----------+-+-workspace---+
          |  | states of a and b         |
          +------- a runs ---- b runs ------> time
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from forebay.codegen.c.syntax.text import round_up
from forebay.planning import Buffer, Effort, Kind, Pool, Problem, live, plan
from forebay.pools import PoolKind
from forebay.shared_image.constants import SharedConstants, shared_constants
from forebay.shared_image.errors import SharingError
from forebay.shared_image.memories import NetworkPool, SharedMemory


class PlacedMemory(Struct, frozen=True):
    """A memory, its bytes, and the offset of each network's pool by the network's prefix.

    `constants` are the placed constants of a memory in the image, which has no offsets of pools.
    """

    memory: SharedMemory
    size: int
    alignment: int
    offsets: dict[str, int]
    constants: SharedConstants | None = None

    @property
    def start(self) -> int:
        """Return the first byte in use; it is not 0 only if the base is fixed."""
        if self.memory.base is None:
            return 0
        return min(_start(share) for share in self.memory.shares)

    @property
    def alone(self) -> int:
        """Return the bytes of the networks' pools without sharing, one linked after the other."""
        if self.memory.base is not None:
            return sum(share.pool.peak - _start(share) for share in self.memory.shares)
        end = 0
        for share in self.memory.shares:
            end = round_up(end, share.pool.alignment) + share.pool.peak
        return end


def place_memory(memory: SharedMemory, *, concurrent: bool) -> PlacedMemory:
    """Return the placement of a memory.

    Raises `SharingError`, or the planner's error with names and bytes, if it is too small.
    """
    if memory.base is not None:
        return _at_fixed_base(memory, concurrent=concurrent)
    if memory.is_rom:
        return _in_image(memory)
    return _planned(memory, concurrent=concurrent)


def _planned(memory: SharedMemory, *, concurrent: bool) -> PlacedMemory:
    owners = _owners(memory)
    steps = ("all networks",) if concurrent else tuple(it.project.prefix for it in memory.shares)
    buffers = [
        Buffer(
            name=share.project.prefix,
            size=share.pool.peak,
            lifetime=live(0, 1) if concurrent else live(step, step + 1),
            candidates=(memory.name,),
            alignment=share.pool.alignment,
            kind=Kind(memory.kind),
        )
        for step, share in enumerate(memory.shares)
        if share.pool.peak and owners[share.project.prefix] == share.project.prefix
    ]
    pool = Pool(memory.name, PoolKind[memory.kind], memory.capacity, memory.alignment)
    found = plan(Problem((pool,), tuple(buffers), steps=steps), "auto", Effort.NORMAL)
    placed = {name: place.offset for name, place in found.placements.items()}
    return PlacedMemory(
        memory=memory,
        size=found.peak(memory.name),
        alignment=memory.alignment,
        offsets={prefix: placed.get(owner, 0) for prefix, owner in owners.items()},
    )


def _owners(memory: SharedMemory) -> dict[str, str]:
    """Return for each network the first one whose pool has the same bytes for good.

    These are pools of equal constants that the networks themselves copy from the image.
    """
    first: dict[bytes, str] = {}
    owners: dict[str, str] = {}
    for share in memory.shares:
        prefix = share.project.prefix
        if memory.fill == "at_init":
            owners[prefix] = first.setdefault(share.project.image(share.pool), prefix)
        else:
            owners[prefix] = prefix
    return owners


def _in_image(memory: SharedMemory) -> PlacedMemory:
    found = shared_constants(memory.shares, memory.alignment)
    if memory.capacity is not None and found.size > memory.capacity:
        parts = ", ".join(f"'{it.project.prefix}' ({it.pool.peak:,})" for it in memory.shares)
        raise SharingError(
            f"pool '{memory.name}' needs {found.size:,} bytes but has {memory.capacity:,}; it "
            f"holds the constants of {parts}, equal ones once. Give the pool "
            f"{found.size - memory.capacity:,} bytes more, or leave out a network"
        )
    return PlacedMemory(memory, found.size, found.alignment, {}, found)


def _at_fixed_base(memory: SharedMemory, *, concurrent: bool) -> PlacedMemory:
    """Return the memory whose bytes the code of the networks has fixed; none can be moved."""
    if concurrent or memory.kind != "workspace":
        _check_apart(memory)
    size = max(share.pool.peak for share in memory.shares)
    if memory.capacity is not None and size > memory.capacity:
        most = max(memory.shares, key=lambda share: share.pool.peak)
        raise SharingError(
            f"pool '{memory.name}' has {memory.capacity:,} bytes, but '{most.project.prefix}' "
            f"uses its first {size:,}"
        )
    offsets = {share.project.prefix: 0 for share in memory.shares}
    return PlacedMemory(memory, size, memory.alignment, offsets)


def _check_apart(memory: SharedMemory) -> None:
    """Check that no two networks use the same bytes."""
    ordered = sorted(memory.shares, key=lambda share: (_start(share), share.pool.peak))
    for one, two in pairwise(ordered):
        if _start(two) < one.pool.peak:
            raise SharingError(
                f"pool '{memory.name}' is at a fixed address, and both '{one.project.prefix}' "
                f"([{_start(one):,}, {one.pool.peak:,})) and '{two.project.prefix}' "
                f"([{_start(two):,}, {two.pool.peak:,})) use bytes of it for good or at the same "
                "time; compile one of them with these bytes reserved in its target"
            )


def _start(share: NetworkPool) -> int:
    return share.pool.start if isinstance(share.pool.start, int) else 0


def place_all(memories: Sequence[SharedMemory], *, concurrent: bool) -> tuple[PlacedMemory, ...]:
    """Return the placements of all memories; raise the errors of `place_memory`."""
    return tuple(place_memory(memory, concurrent=concurrent) for memory in memories)
