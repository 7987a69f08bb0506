"""A planning problem: pools, buffers and who must not share bytes with whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from forebay.planning.model.buffer import Buffer
from forebay.planning.model.check import (
    check_buffers,
    check_conflicts,
    check_groups,
    check_pools,
    check_separations,
)
from forebay.planning.model.magnitudes import check_magnitudes
from forebay.planning.model.pool import Pool
from forebay.planning.model.separation import Separation


@dataclass(frozen=True)
class Problem:
    """What a planner gets; nothing in it changes.

    `conflicts`: pairs of buffer names that must not share bytes, in addition to those whose
    lifetimes overlap (branches, loops, several devices).
    `separations`: pairs that had better lie apart; obeyed where that costs no byte of peak.
    `steps`: name of the operation at each tick `0, 1, ...` of the clock, for messages.
    """

    pools: tuple[Pool, ...]
    buffers: tuple[Buffer, ...]
    conflicts: tuple[tuple[str, str], ...] = ()
    steps: tuple[str, ...] = ()
    name: str = ""
    separations: tuple[Separation, ...] = ()

    @cached_property
    def pool_by_name(self) -> Mapping[str, Pool]:
        """The pools by name."""
        return {pool.name: pool for pool in self.pools}

    @cached_property
    def buffer_by_name(self) -> Mapping[str, Buffer]:
        """The buffers by name."""
        return {buffer.name: buffer for buffer in self.buffers}

    def check(self) -> None:
        """Raise `ProblemError` at the first contradiction."""
        check_pools(self.pools)
        check_buffers(self.buffers, self.pools)
        check_conflicts(self.conflicts, self.buffers)
        check_groups(self.buffers, self.pools)
        check_separations(self.separations, self.buffers)
        check_magnitudes(self.pools, self.buffers, self.separations)

    def size_in(self, buffer: Buffer, pool: Pool) -> int:
        """Bytes that the buffer takes in the pool: whole rows."""
        return pool.rounded(buffer.size)

    def taken_in(self, buffer: Buffer, pool: Pool) -> int:
        """Bytes kept for the buffer in the pool while it lives: its alias group's largest size."""
        size = buffer.size if buffer.alias is None else self._group_sizes[buffer.alias]
        return pool.rounded(size)

    def alignment_in(self, buffer: Buffer, pool: Pool) -> int:
        """Alignment in bytes of the buffer's address in the pool: its own, else the pool's."""
        own = pool.alignment if buffer.alignment is None else buffer.alignment
        return max(own, pool.unit)

    def cost_in(self, buffer: Buffer, pool: Pool) -> int:
        """Cost of the whole buffer living in the pool."""
        rank = buffer.candidates.index(pool.name) if pool.name in buffer.candidates else 0
        if buffer.costs is not None:
            return buffer.costs[rank]
        if all(self.pool_by_name[name].cost is None for name in buffer.pools):
            return rank * buffer.size
        return (pool.cost or 0) * buffer.size

    @cached_property
    def _group_sizes(self) -> Mapping[str, int]:
        sizes: dict[str, int] = {}
        for buffer in self.buffers:
            if buffer.alias is not None:
                sizes[buffer.alias] = max(buffer.size, sizes.get(buffer.alias, 0))
        return sizes

    @cached_property
    def _group_pins(self) -> Mapping[str, int]:
        return {
            b.alias: b.pinned_offset
            for b in self.buffers
            if b.alias is not None and b.pinned_offset is not None
        }

    def pin_of(self, buffer: Buffer) -> int | None:
        """Offset that the buffer is pinned to, by itself or by its alias group."""
        if buffer.pinned_offset is not None or buffer.alias is None:
            return buffer.pinned_offset
        return self._group_pins.get(buffer.alias)

    def step(self, tick: int) -> str:
        """Name of the operation at a tick; empty where it has none."""
        return self.steps[tick] if 0 <= tick < len(self.steps) else ""
