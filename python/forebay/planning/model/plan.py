"""A plan: a pool and an offset for every buffer of a problem."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import ClassVar, NamedTuple

from forebay.planning.model.problem import Problem
from forebay.pools import ByteRange
from forebay.support.records import record


class Placement(NamedTuple):
    """The placement of a buffer: the name of a pool and the pool-relative offset in bytes."""

    pool: str
    offset: int


class ProvedBound(NamedTuple):
    """A planner's claim that no plan with the same pool assignment has a lower peak in `pool`.

    `bytes` is the peak; `by` names the method of the proof.
    """

    pool: str
    bytes: int
    by: str


@record
class Plan:
    """The solution of a problem; only a plan that `Planner.plan` returns is known to be valid."""

    problem: Problem
    placements: Mapping[str, Placement]
    planner: str
    proved: tuple[ProvedBound, ...] = field(default=())

    picture: ClassVar[Callable[[Plan], str]] = repr
    """Draws a plan as HTML; `forebay.planning` sets it, since pictures know plans."""

    def __repr__(self) -> str:
        pools = [pool.name for pool in self.problem.pools if self.in_pool(pool.name)]
        peaks = ", ".join(f"{pool} {self.peak(pool):,} B" for pool in pools)
        name = f"of '{self.problem.name}' " if self.problem.name else ""
        return f"<Plan {name}by '{self.planner}': {len(self.placements):,} buffers; {peaks}>"

    def _repr_html_(self) -> str:
        """Return the picture of the plan, as a notebook shows it."""
        return type(self).picture(self)

    def range_of(self, buffer: str) -> ByteRange:
        """Return the pool-relative byte range that the buffer occupies."""
        pool, offset = self.placements[buffer]
        size = self.problem.pool_by_name[pool].rounded(self.problem.buffer_by_name[buffer].size)
        return ByteRange(offset, offset + size)

    def in_pool(self, pool: str) -> tuple[str, ...]:
        """Return the names of the buffers in the pool, in the order of the problem."""
        return tuple(b.name for b in self.problem.buffers if self.placements[b.name].pool == pool)

    def peak(self, pool: str) -> int:
        """Return the bytes of the pool that the plan needs: the highest end of a buffer."""
        return max((self.range_of(name).end for name in self.in_pool(pool)), default=0)

    def base_alignment(self, pool: str) -> int:
        """Return the alignment in bytes that the plan requires of the pool's base address.

        It is a power of two: rows of another size are counted from the base.
        """
        owner = self.problem.pool_by_name[pool]
        alignments = (
            self.problem.alignment_in(self.problem.buffer_by_name[name], owner)
            for name in self.in_pool(pool)
        )
        largest = max([owner.alignment_of(None), *alignments])
        return largest & -largest

    @property
    def cost(self) -> int:
        """Return the sum of the buffers' costs in their pools; by default the spilled bytes.

        See `Problem.cost_in`.
        """
        problem = self.problem
        return sum(
            problem.cost_in(buffer, problem.pool_by_name[self.placements[buffer.name].pool])
            for buffer in problem.buffers
        )

    @property
    def penalty(self) -> int:
        """Return the sum of the penalties of all separations; 0 when the plan satisfies all."""
        return sum(self.penalty_in(pool.name) for pool in self.problem.pools)

    def penalty_in(self, pool: str) -> int:
        """Return the part of the penalty that is due to one pool."""
        owner = self.problem.pool_by_name[pool]
        return sum(
            separation.penalty(
                owner, self.range_of(separation.first), self.range_of(separation.second)
            )
            for separation in self.problem.separations
            if self.placements[separation.first].pool
            == self.placements[separation.second].pool
            == pool
        )

    @property
    def weighted_peaks(self) -> int:
        """Return the sum of the pools' peaks, each multiplied by the pool's weight."""
        return sum(pool.weight * self.peak(pool.name) for pool in self.problem.pools)
