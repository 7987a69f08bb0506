"""A plan: a pool and an offset for every buffer of a problem."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from forebay.planning.model.pool import ByteRange
from forebay.planning.model.problem import Problem


class Placement(NamedTuple):
    """Where a buffer lies: a pool's name and a pool-relative offset in bytes."""

    pool: str
    offset: int


class ProvedBound(NamedTuple):
    """A planner's claim that no plan of this assignment to pools has a lower peak in the pool."""

    pool: str
    bytes: int
    by: str


@dataclass(frozen=True)
class Plan:
    """The answer to a problem. Only `Planner.plan` makes one that is known to be valid."""

    problem: Problem
    placements: Mapping[str, Placement]
    planner: str
    proved: tuple[ProvedBound, ...] = field(default=())

    def range_of(self, buffer: str) -> ByteRange:
        """Pool-relative bytes that the buffer takes."""
        pool, offset = self.placements[buffer]
        size = self.problem.pool_by_name[pool].rounded(self.problem.buffer_by_name[buffer].size)
        return ByteRange(offset, offset + size)

    def in_pool(self, pool: str) -> tuple[str, ...]:
        """Names of the buffers in the pool, in the problem's order."""
        return tuple(b.name for b in self.problem.buffers if self.placements[b.name].pool == pool)

    def peak(self, pool: str) -> int:
        """Bytes of the pool that the plan needs, counted from the base: the highest end."""
        return max((self.range_of(name).end for name in self.in_pool(pool)), default=0)

    def base_alignment(self, pool: str) -> int:
        """Alignment that the base address of the pool must have for this plan."""
        owner = self.problem.pool_by_name[pool]
        alignments = (
            self.problem.alignment_in(self.problem.buffer_by_name[name], owner)
            for name in self.in_pool(pool)
        )
        return max(owner.alignment, owner.unit, *alignments, 1)

    @property
    def cost(self) -> int:
        """Sum of what the buffers' lives in their pools cost; spilled bytes by default."""
        problem = self.problem
        return sum(
            problem.cost_in(buffer, problem.pool_by_name[self.placements[buffer.name].pool])
            for buffer in problem.buffers
        )

    @property
    def penalty(self) -> int:
        """Sum of the penalties of pairs that had better lie apart; 0 when every wish is granted."""
        return sum(self.penalty_in(pool.name) for pool in self.problem.pools)

    def penalty_in(self, pool: str) -> int:
        """The part of the penalty that arises in one pool."""
        owner = self.problem.pool_by_name[pool]
        return sum(
            wish.penalty(owner, self.range_of(wish.first), self.range_of(wish.second))
            for wish in self.problem.separations
            if self.placements[wish.first].pool == self.placements[wish.second].pool == pool
        )

    @property
    def weighted_peaks(self) -> int:
        """Sum of the pools' peaks, each times the pool's weight."""
        return sum(pool.weight * self.peak(pool.name) for pool in self.problem.pools)
