"""A planning problem: pools, buffers, and the pairs of buffers that must not share bytes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from forebay.planning.model.blocks import check_blocks
from forebay.planning.model.buffer import Buffer
from forebay.planning.model.check import (
    check_buffers,
    check_conflicts,
    check_groups,
    check_pools,
    check_separations,
)
from forebay.planning.model.magnitudes import check_magnitudes
from forebay.planning.model.separation import Separation
from forebay.pools import Pool
from forebay.support.records import record


@record
class Problem:
    """The immutable input of a planner.

    `conflicts`: pairs of buffer names that must not share bytes, in addition to the pairs whose
    lifetimes overlap (for branches, loops and several devices).
    `separations`: pairs that a plan should place apart when this costs no byte of peak.
    `steps`: name of the operation at each tick `0, 1, ...`, for messages.
    """

    pools: tuple[Pool, ...]
    buffers: tuple[Buffer, ...]
    conflicts: tuple[tuple[str, str], ...] = ()
    steps: tuple[str, ...] = ()
    name: str = ""
    separations: tuple[Separation, ...] = ()

    @cached_property
    def pool_by_name(self) -> Mapping[str, Pool]:
        """Return the pools by name."""
        return {pool.name: pool for pool in self.pools}

    @cached_property
    def buffer_by_name(self) -> Mapping[str, Buffer]:
        """Return the buffers by name."""
        return {buffer.name: buffer for buffer in self.buffers}

    def check(self) -> None:
        """Raise `ProblemError` at the first inconsistency."""
        check_pools(self.pools)
        check_buffers(self.buffers, self.pools)
        check_conflicts(self.conflicts, self.buffers)
        check_groups(self.buffers, self.pools)
        check_blocks(self.buffers, self.pools)
        check_separations(self.separations, self.buffers)
        check_magnitudes(self.pools, self.buffers, self.separations)

    def size_in(self, buffer: Buffer, pool: Pool) -> int:
        """Return the bytes that the buffer itself occupies in the pool: whole rows."""
        return pool.rounded(buffer.size)

    def taken_in(self, buffer: Buffer, pool: Pool) -> int:
        """Return the bytes allocated for the buffer in the pool while it is live.

        In an alias group this is the size of the largest member.
        """
        size = buffer.size if buffer.alias is None else self._group_sizes[buffer.alias]
        return pool.rounded(size)

    def alignment_in(self, buffer: Buffer, pool: Pool) -> int:
        """Return the alignment in bytes of the buffer's address in the pool.

        It is the buffer's own alignment or else the pool's, and a whole number of rows.
        """
        return pool.alignment_of(buffer.alignment)

    def cost_in(self, buffer: Buffer, pool: Pool) -> int:
        """Return the cost of placing the whole buffer in the pool."""
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

    @cached_property
    def _block_pins(self) -> Mapping[str, int]:
        """Return the offsets of the beginnings of pinned blocks."""
        return {
            b.block: b.pinned_offset - b.block_offset
            for b in self.buffers
            if b.block is not None and b.pinned_offset is not None
        }

    def pin_of(self, buffer: Buffer) -> int | None:
        """Return the offset to which a buffer, its alias group or its block is pinned, or None."""
        if buffer.pinned_offset is not None:
            return buffer.pinned_offset
        if buffer.block is not None:
            pin = self._block_pins.get(buffer.block)
            return None if pin is None else pin + buffer.block_offset
        return None if buffer.alias is None else self._group_pins.get(buffer.alias)

    def step(self, tick: int) -> str:
        """Return the name of the operation at a tick; empty if the tick has no name."""
        return self.steps[tick] if 0 <= tick < len(self.steps) else ""
